/**
 * Built-in extensions that `defaults` adds to a chain, in this order. Sparkle precedes Ferris, so that Ferris' research sessions don't get
 * Sparkle's context.
 */
export const defaultExtensions = ["sparkle", "ferris", "cargo", "ide-operations", "tests", "sources"] as const;

/** Built-in extensions that run only if the configuration names them. */
export const optInExtensions = ["editor-edits"] as const;

/** An extension whose tools `mcp NAME` can serve without an agent. */
export type ServedExtension = (typeof defaultExtensions)[number];

export type BuiltInExtension = ServedExtension | (typeof optInExtensions)[number];
