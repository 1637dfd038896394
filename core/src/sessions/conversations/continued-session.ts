import { withMember } from "../../base/rpc/json-edit.js";
import { asObject, Json } from "../../base/rpc/json.js";

/** What a `session/new` says that goes on with a conversation: `_meta.symposium.continues` of its parameters. */
export interface Continued {
  /** The conversation's id in the folder, or what an editor called the session. */
  readonly conversation: string;
  /** The name of the agent that it was with, where an editor's id may be that of several. */
  readonly agent?: string;
  /** The last turn that counts; all when absent. */
  readonly turn?: number;
}

/** Where that stands in the parameters. */
export const continuesPath = ["_meta", "symposium", "continues"] as const;

/** Reads the parameters of a request that opens a session, or their `_meta`; undefined where they continue nothing. */
export function continuedIn(params: Readonly<Record<string, unknown>> | undefined): Continued | undefined {
  const symposium = asObject(asObject(params?.["_meta"])?.["symposium"]);
  const { conversation, turn, agent } = asObject(symposium?.["continues"]) ?? {};
  if (typeof conversation !== "string" || conversation === "") return undefined;
  return { conversation, ...(typeof turn === "number" && { turn }), ...(typeof agent === "string" && { agent }) };
}

/** The same parameters, which continue what `continued` says. */
export function withContinued(params: Json, continued: Continued): Json {
  return withMember(params, ["_meta", "symposium", "continues"], Json.of(continued));
}
