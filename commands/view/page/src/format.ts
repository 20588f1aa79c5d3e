// How numbers are written.
const decimal = new Intl.NumberFormat("en-US"); // toLocaleString() makes one for each number
export const grouped = (n: number | bigint) => decimal.format(n);
export const place = (n: number) => "#" + grouped(n);
/** A place of another thread has that in front, as `rewind goto` wants it. */
export const placeIn = (n: number, thread: number, here: number) => (thread === here ? "" : thread + ":") + place(n);

/** A short number for a ruler: 1,250k. */
export function brief(n: number): string {
  if (n >= 1e7 && n % 1e6 === 0) return grouped(n / 1e6) + "M";
  if (n >= 1e4 && n % 1e3 === 0) return grouped(n / 1e3) + "k";
  return grouped(n);
}

export const percent = (part: number, whole: number) =>
  whole ? ((100 * part) / whole).toFixed(part === whole ? 0 : 1) + " %" : "";

/** The bytes of "0x1234", lowest first; null where they are not known. */
export function bytesOf(value: string | null): (number | null)[] {
  if (!value || !value.startsWith("0x")) return [];
  const bytes = [];
  for (let i = value.length - 2; i >= 2; i -= 2) {
    const digits = value.slice(i, i + 2);
    bytes.push(digits === "??" ? null : parseInt(digits, 16));
  }
  return bytes;
}

function view(bytes: (number | null)[]): DataView | null {
  if (!bytes.length || bytes.some((b) => b === null)) return null;
  return new DataView(Uint8Array.from(bytes as number[]).buffer);
}

export function asUnsigned(value: string | null): string {
  return value && /^0x[0-9a-f]+$/.test(value) ? grouped(BigInt(value)) : "unknown";
}

export function asSigned(value: string | null): string {
  if (!value || !/^0x[0-9a-f]+$/.test(value)) return "unknown";
  return grouped(BigInt.asIntN((value.length - 2) * 4, BigInt(value)));
}

/** Lanes of 4 or 8 bytes as floating-point numbers. */
export function asFloats(value: string | null, size: 4 | 8): string {
  const bytes = bytesOf(value);
  const lanes = [];
  for (let i = 0; i + size <= bytes.length; i += size) {
    const lane = view(bytes.slice(i, i + size));
    lanes.push(lane ? String(Number((size === 4 ? lane.getFloat32(0, true) : lane.getFloat64(0, true)).toPrecision(8))) : "unknown");
  }
  return lanes.length ? lanes.join("  ") : "unknown";
}

/** The same name has the same shade. */
export function hash(text: string): number {
  let h = 2166136261;
  for (let i = 0; i < text.length; ++i) h = Math.imul(h ^ text.charCodeAt(i), 16777619);
  return h >>> 0;
}

export const fileName = (path: string) => path.slice(path.lastIndexOf("/") + 1);
