/** Wire names of IDE operations: the contract that editors, the adapter and the component share. */

/** The member of `clientCapabilities._meta` that announces them: `{version, operations}`. */
export const ideOperationsKey = "symposium/ideOperations";

/** The version of the contract. A higher one keeps what this one has. */
export const ideOperationsVersion = 1;

/** An operation's ACP extension request is this followed by its name. */
export const ideOperationPrefix = "_symposium/ideOperations/";

/** Lists hold at most this many items in one answer. */
export const maxIdeItems = 2_000;

/** The operations, in the order in which documents list them. */
export const ideOperationNames = [
  "definition",
  "typeDefinition",
  "references",
  "implementations",
  "documentSymbols",
  "workspaceSymbols",
  "hover",
  "incomingCalls",
  "outgoingCalls",
  "supertypes",
  "subtypes",
  "diagnostics",
  "rename",
  "codeActions",
  "resolveCodeAction",
  "format",
  "applyEdit",
  "selection",
  "openFiles",
  "readDocument",
  "setDocument",
  "status",
] as const;

export type IdeOperationName = (typeof ideOperationNames)[number];

const names: ReadonlySet<string> = new Set(ideOperationNames);

/** Whether `value` names an operation of this version. */
export function isIdeOperationName(value: unknown): value is IdeOperationName {
  return typeof value === "string" && names.has(value);
}

/** The ACP method of an operation. */
export function ideOperationMethod(name: IdeOperationName): string {
  return ideOperationPrefix + name;
}
