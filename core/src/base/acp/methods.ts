export const acpVersion = 1;

/** ACP v1 methods (stable and unstable) that Symposium handles; all other methods pass through. */
export const acpMethods = {
  initialize: "initialize",
  authenticate: "authenticate",
  sessionNew: "session/new",
  sessionLoad: "session/load",
  sessionResume: "session/resume",
  sessionFork: "session/fork",
  sessionList: "session/list",
  sessionClose: "session/close",
  sessionDelete: "session/delete",
  setMode: "session/set_mode",
  setModel: "session/set_model",
  setConfigOption: "session/set_config_option",
  sessionPrompt: "session/prompt",
  sessionCancel: "session/cancel",
  /** Adds text to the running turn; an extension of Claude's and Codex's adapters. */
  sessionSteering: "_session/steering",
  sessionUpdate: "session/update",
  requestPermission: "session/request_permission",
  createElicitation: "elicitation/create",
  completeElicitation: "elicitation/complete",
} as const;

const setupMethods: ReadonlySet<string> = new Set([
  acpMethods.sessionNew,
  acpMethods.sessionLoad,
  acpMethods.sessionResume,
  acpMethods.sessionFork,
]);

/** Whether `method` opens a session and has `cwd` and `mcpServers` parameters. */
export function isSessionSetup(method: string): boolean {
  return setupMethods.has(method);
}

const endMethods: ReadonlySet<string> = new Set([acpMethods.sessionClose, acpMethods.sessionDelete]);

export function isSessionEnd(method: string): boolean {
  return endMethods.has(method);
}

export function sessionHandlers<Handler>(open: Handler, end?: Handler): Readonly<Record<string, Handler>> {
  const handlersOf = (methods: ReadonlySet<string>, handler: Handler): [string, Handler][] =>
    [...methods].map((method) => [method, handler]);
  return Object.fromEntries([...handlersOf(setupMethods, open), ...(end ? handlersOf(endMethods, end) : [])]);
}
