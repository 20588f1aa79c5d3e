// What a value was made of: `rewind slice`, on request.
import { signal } from "@preact/signals";
import { at, historyOf, thread, told } from "./state";
import { ask } from "./wire";
import { At, Do } from "./parts";
import { grouped } from "./format";

const answer = signal<any>(null);
const busy = signal(false);

async function run(of: string) {
  busy.value = true;
  answer.value = await told(ask({ what: "slice", of, at: thread.value + ":#" + at.value, count: "500" }));
  busy.value = false;
}

export function Slice() {
  const a = answer.value;
  return (
    <div class="slice">
      <form class="bar" onSubmit={(event) => {
        event.preventDefault();
        run((new FormData(event.currentTarget).get("of") as string).trim());
      }}>
        <label>What went into <input name="of" value={historyOf.value} placeholder="register, address or symbol" spellcheck={false} autocomplete="off" /></label>
        <button type="submit" class="tab">before the position</button>
        {busy.value && <span class="hint">looking…</span>}
        {a && <span class="hint">{grouped(a.instructions)} instructions{a.complete ? ", all of them" : ", the first are listed"}</span>}
      </form>
      {a && (
        <table>
          <thead><tr><th>position</th><th class="number">depth</th><th>instruction</th><th>made</th><th>needed</th></tr></thead>
          <tbody>
            {a.items.map((i: any) => (
              <tr>
                <td><At to={i.position} /></td><td class="number">{i.depth}</td>
                <td class="code">{i.instruction}</td><td class="code">{i.made}</td><td class="code">{i.needed}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {!a && <p class="notice"><Do run={() => historyOf.value && run(historyOf.value)}>Ask</Do> which instructions made the value of a location before the position.</p>}
    </div>
  );
}
