/** Built-in extensions that `defaults` puts into a chain, in that order. Sparkle precedes Ferris, so that Ferris' research sessions do not get Sparkle's context. */
export const defaultExtensions = ["sparkle", "ferris", "cargo", "ide-operations", "tests", "sources"] as const;

/** Built-in extensions that run only if a configuration names them. */
export const optInExtensions = ["editor-edits"] as const;

/** An extension with tools that `mcp NAME` serves without an agent. */
export type ServedExtension = (typeof defaultExtensions)[number];

/** Any built-in extension. */
export type BuiltInExtension = ServedExtension | (typeof optInExtensions)[number];
