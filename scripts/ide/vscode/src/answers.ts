// What the commands answer (docs/json.md), as far as it is shown here. A field that
// is absent or null is not told by the trace.

export interface Place {
  position: number;
  thread: number;
  pc?: string;
  time?: number | null;
  function?: string;
  function_offset?: number;
  file?: string;
  source_line?: number;
}

export interface Where extends Place {
  of: number;
  at_end: boolean;
  instruction?: string;
}

export interface Access extends Place {
  instruction: string;
  access: "write" | "read";
  old?: string | null;
  new?: string | null;
  value?: string | null;
  old_text?: string;
  new_text?: string;
  value_text?: string;
  changed?: boolean;
}

export interface Listing<Row> {
  items: Row[];
  complete: boolean;
  cancelled?: boolean;
}

export interface Accesses extends Listing<Access> {
  note?: string;
  before_trace?: boolean;
  initial?: string | null;
  initial_text?: string;
}

export interface OriginRow extends Place {
  instruction: string;
  value?: string | null;
  value_text?: string;
  how?: string;
  /** Its number in the answer, and that of the row it was made for; none of the first. */
  link?: number;
  from?: number;
  /** Where branches fork: which piece or operand it is. */
  of?: string;
}

export interface Origin extends Listing<OriginRow> {
  end?: { kind: string; text?: string };
}

export interface SliceRow extends Place {
  instruction: string;
  depth?: number;
  made?: string;
  needed?: string;
  needs?: { location: string; thread: number; position: number }[];
  ends?: { kind: string; location?: string }[];
}

export interface Slice extends Listing<SliceRow> {
  limits?: string[];
}

export interface Dependence extends Place {
  instruction: string;
  direction: "needs" | "feeds";
  kind: string;
  through?: string;
}

export interface Deps extends Listing<Dependence> {
  before_trace?: string;
}

export interface Activation {
  id: string;
  function: string;
  file?: string;
  source_line?: number;
  count: number;
  start: number;
  end: number;
  instructions: number;
  calls: Activation[];
  remarks?: string;
}

export interface Bookmark {
  name: string;
  thread: number;
  position: number;
  note?: string | null;
}

export interface Layers {
  layers: { layer: number; pass: string; units: number; distinct: number; reduction: number }[];
}

export interface Block {
  id?: number;
  name?: string;
  kind?: string;
  thread: number;
  position: number;
  times?: number;
  instructions?: number;
  share_instructions?: number;
  source?: string;
  more?: number;
}

export interface Spot extends Block {
  own: number;
}

export interface Enclosing {
  enclosing: { id: number; name: string; kind: string; start: number; iteration?: number; iterations?: number }[];
  thread: number;
}
