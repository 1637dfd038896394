import type { RawClient } from "../support/raw-client.js";

/** `mandatory`: every connection. `capability`: of an agent that declares it. `advisory`: good manners. */
export type Tier = "mandatory" | "capability" | "advisory";

/** Requirement that a client of the scripted agent can rely on, regardless of the components between client and agent. */
export interface Requirement {
  /** Stable, such as `ACP-PROMPT-004`. */
  readonly id: string;
  readonly tier: Tier;
  readonly title: string;
  /**
   * Fails by throwing. Texts that it returns must be the same, byte for byte, when the client talks to the agent
   * directly; session ids in them are replaced.
   */
  check(client: RawClient): Promise<readonly string[] | undefined>;
}

/** Texts of what the client was sent by the agent, in order, without `sessionId`. */
export function transcript(client: RawClient, sessionId: string): readonly string[] {
  return client.peer.received.map(({ kind, method, params }) =>
    `${kind} ${method} ${params?.text ?? ""}`.replaceAll(JSON.stringify(sessionId), '"SESSION"'),
  );
}

/** Texts of the updates of one session, as they stood on the wire. */
export function updateTexts(client: RawClient, sessionId: string): readonly string[] {
  const head = `{"sessionId":${JSON.stringify(sessionId)},"update":`;
  return client.peer.received
    .filter(({ method, params }) => method === "session/update" && params?.text.startsWith(head) === true)
    .map(({ params }) => params?.text.slice(head.length, -1) ?? "");
}

/** The lines that the agent said in a session. */
export function saidLines(client: RawClient, sessionId: string): readonly string[] {
  return updateTexts(client, sessionId)
    .map((text) => /^\{"sessionUpdate":"agent_message_chunk","content":\{"type":"text","text":(".*")\}\}$/s.exec(text))
    .flatMap((match) => (match?.[1] === undefined ? [] : [String(JSON.parse(match[1]))]))
    .join("")
    .split("\n")
    .filter((line) => line !== "");
}
