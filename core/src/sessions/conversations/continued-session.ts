import { withMember } from "../../base/rpc/json-edit.js";
import { asObject, Json } from "../../base/rpc/json.js";

/** Conversation that a `session/new` continues: `_meta.symposium.continues` of its parameters. */
export interface Continued {
  /** Id of the stored conversation, or the editor's id of the session. */
  readonly conversation: string;
  /** Name of the conversation's agent, since several agents may use an editor's id. */
  readonly agent?: string;
  /** Number of the last turn to include; default: all. */
  readonly turn?: number;
}

export const continuesPath = ["_meta", "symposium", "continues"] as const;

/**
 * Returns the conversation that a new session continues, from the parameters of the opening request or their `_meta`; undefined for a new
 * conversation.
 */
export function continuedIn(params: Readonly<Record<string, unknown>> | undefined): Continued | undefined {
  const symposium = asObject(asObject(params?.["_meta"])?.["symposium"]);
  const { conversation, turn, agent } = asObject(symposium?.["continues"]) ?? {};
  if (typeof conversation !== "string" || conversation === "") return undefined;
  return { conversation, ...(typeof turn === "number" && { turn }), ...(typeof agent === "string" && { agent }) };
}

export function withContinued(params: Json, continued: Continued): Json {
  return withMember(params, ["_meta", "symposium", "continues"], Json.of(continued));
}
