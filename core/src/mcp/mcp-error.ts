/** An error object with which an MCP server answered a request of ours. */
export class McpError extends Error {
  override readonly name = "McpError";

  /** `code` and `data` are the server's; `message` is its message as it was. */
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message);
  }
}
