/** What Zed says in `initialize` since about its version 1.11: protocol 1, whatever else it can already speak. */
export const zedInitializeParams = {
  protocolVersion: 1,
  clientCapabilities: {
    fs: { readTextFile: true, writeTextFile: true },
    terminal: true,
    auth: { terminal: true },
    session: { configOptions: { boolean: {} } },
    elicitation: { form: {}, url: {} },
    _meta: { terminal_output: true, "terminal-auth": true },
  },
  clientInfo: { name: "zed", title: "stable", version: "1.11.0" },
} as const;
