import { asObject, Json } from "../rpc/json.js";
import { withMember } from "../rpc/json-edit.js";
import { type IdeOperationName, ideOperationsKey, ideOperationsVersion, isIdeOperationName } from "./wire.js";

/** Where the capability stands below `clientCapabilities`, as a dotted path. */
export const ideOperationsPath = `_meta.${ideOperationsKey}`;

/** What an editor announces, as the member of `clientCapabilities._meta`. */
export function ideOperationsCapability(operations: Iterable<IdeOperationName>): Readonly<Record<string, unknown>> {
  return { version: ideOperationsVersion, operations: [...operations] };
}

/** The operations that the parameters of `initialize` announce; undefined where they announce none at all. Never throws. */
export function announcedIdeOperations(initializeParams: unknown): ReadonlySet<IdeOperationName> | undefined {
  const meta = asObject(asObject(asObject(initializeParams)?.["clientCapabilities"])?.["_meta"]);
  const operations = asObject(meta?.[ideOperationsKey])?.["operations"];
  return Array.isArray(operations) ? new Set(operations.filter(isIdeOperationName)) : undefined;
}

/** The parameters of `initialize` with the capability announced in them, in place of what they said of it. */
export function withIdeOperations(params: Json | undefined, operations: Iterable<IdeOperationName>): Json {
  const capability = Json.of(ideOperationsCapability(operations));
  return withMember(params ?? Json.ofText("{}"), ["clientCapabilities", "_meta", ideOperationsKey], capability);
}
