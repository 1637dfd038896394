/** Member of `clientCapabilities._meta` that announces IDE operations: `{version, operations}`. */
export const ideOperationsKey = "symposium/ideOperations";

/** Protocol version. Higher versions must stay backward compatible. */
export const ideOperationsVersion = 1;

/** Prefix of the ACP extension method; followed by the operation's name. */
export const ideOperationPrefix = "_symposium/ideOperations/";

/** Maximum number of list items in one answer. */
export const maxIdeItems = 2_000;

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
  "prepareRename",
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

export function isIdeOperationName(value: unknown): value is IdeOperationName {
  return typeof value === "string" && names.has(value);
}

export function ideOperationMethod(name: IdeOperationName): string {
  return ideOperationPrefix + name;
}
