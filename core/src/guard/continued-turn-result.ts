import { memberOf, withMember } from "../base/rpc/json-edit.js";
import { asObject, Json, type Members } from "../base/rpc/json.js";
import { Outcome } from "../base/rpc/message.js";

/** Paths of token counts in prompt results. */
const counts = [["usage"], ["_meta", "quota", "token_count"]] as const;

/** Returns the last result of a turn that was stopped and continued, with the token counts of both parts added up. */
export function continuedTurnResult(before: Outcome, last: Outcome): Outcome {
  if (before.isError || last.isError) return last;
  let json = last.json;
  for (const path of counts) {
    const [first, second] = [valueAt(before.json, path), valueAt(json, path)];
    if (first) json = withMember(json, path, Json.of({ ...second, ...sums(first, second ?? {}) }));
  }
  return Outcome.result(json);
}

function valueAt(json: Json, path: readonly string[]): Members | undefined {
  const member = path.reduce<Json | undefined>((at, name) => at && memberOf(at, name), json);
  return member && asObject(member.value);
}

function sums(one: Members, other: Members): Members {
  return Object.fromEntries(
    Object.entries(one).map(([name, count]) => {
      const more = other[name];
      return [name, typeof count === "number" && typeof more === "number" ? count + more : (more ?? count)];
    }),
  );
}
