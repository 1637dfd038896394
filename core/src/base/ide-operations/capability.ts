import { asObject, Json } from "../rpc/json.js";
import { withMember } from "../rpc/json-edit.js";
import { type IdeOperationName, ideOperationsKey, ideOperationsVersion, isIdeOperationName } from "./wire.js";

export const ideOperationsPath = `_meta.${ideOperationsKey}`;

export function ideOperationsCapability(operations: Iterable<IdeOperationName>): Readonly<Record<string, unknown>> {
  return { version: ideOperationsVersion, operations: [...operations] };
}

/** Returns the operations announced in `initialize` parameters. Undefined if the capability is missing; never throws. */
export function announcedIdeOperations(initializeParams: unknown): ReadonlySet<IdeOperationName> | undefined {
  const meta = asObject(asObject(asObject(initializeParams)?.["clientCapabilities"])?.["_meta"]);
  const operations = asObject(meta?.[ideOperationsKey])?.["operations"];
  return Array.isArray(operations) ? new Set(operations.filter(isIdeOperationName)) : undefined;
}

/** Announces the operations in `initialize` parameters, replacing an existing announcement. */
export function withIdeOperations(params: Json | undefined, operations: Iterable<IdeOperationName>): Json {
  const capability = Json.of(ideOperationsCapability(operations));
  return withMember(params ?? Json.ofText("{}"), ["clientCapabilities", "_meta", ideOperationsKey], capability);
}
