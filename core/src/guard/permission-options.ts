import { mustAskMember } from "../base/acp/must-ask.js";
import { memberOf, withMember } from "../base/rpc/json-edit.js";
import { asObject, Json, type Members } from "../base/rpc/json.js";
import { Request } from "../base/rpc/message.js";

type OnceKind = "allow_once" | "reject_once";

export function optionOf(request: Request, kind: OnceKind): string | undefined {
  const id = optionsOf(request).find((one) => kindOf(one) === kind)?.["optionId"];
  return typeof id === "string" ? id : undefined;
}

/** Returns whether a permission request is a yes/no question rather than a choice of several options. */
export function asksYesOrNo(request: Request): boolean {
  const kinds = optionsOf(request).map(kindOf);
  return kinds.filter((kind) => kind === "allow_once").length === 1 && kinds.includes("reject_once");
}

/** Removes the lasting options from a permission request: after "always", the agent would no longer ask, and so bypass the rule. */
export function forUserAlone(request: Request): Request {
  const params = request.params ?? Json.of({});
  const meta = withMember(memberOf(params, "_meta") ?? Json.of({}), [mustAskMember], Json.of(true));
  const marked = withMember(params, ["_meta"], meta);
  const options = optionsOf(request);
  const lasting = options.some((one) => kindOf(one) === "allow_always");
  if (!lasting || optionOf(request, "allow_once") === undefined) return new Request(request.method, marked);
  const once = options.filter((one) => kindOf(one) !== "allow_always");
  return new Request(request.method, withMember(marked, ["options"], Json.of(once)));
}

function optionsOf(request: Request): readonly Members[] {
  const options = request.params?.object?.["options"];
  return (Array.isArray(options) ? (options as readonly unknown[]) : []).map((one) => asObject(one) ?? {});
}

function kindOf(option: Members): unknown {
  return option["kind"];
}
