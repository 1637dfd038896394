import { sessionIdIn } from "../agents/setup/session-aliases.js";
import type { Json } from "../rpc/json.js";

const leading = /^\s*\{\s*"sessionId"\s*:\s*"([^"\\]*)"/;

/** The member `sessionId` of parameters: read off their beginning, where nearly everybody writes it, else looked for. */
export function sessionIdOf(params: Json | undefined): string | undefined {
  return params && (leading.exec(params.text)?.[1] ?? sessionIdIn(params));
}
