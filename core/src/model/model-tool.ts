/** A tool of the client, as the client describes it. */
export interface ModelTool {
  /** Any text; unique among the tools of a request. */
  readonly name: string;
  readonly description?: string | undefined;
  /** JSON schema of its arguments; clients leave it out, send `null`, or one that is not of an object. */
  readonly inputSchema?: unknown;
}
