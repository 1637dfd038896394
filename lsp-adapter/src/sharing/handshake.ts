import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** The request `{challenge}` by which a client has an adapter prove itself; the answer is `{challenge, proof}`. */
export const proveMethod = "_symposium/prove";

/** What both sides know beforehand: the user's token, and where they mean to meet. */
export interface Meeting {
  readonly token: string;
  readonly socket: string;
}

/** The random words of both sides, new for each connection. */
interface Challenges {
  readonly client: string;
  readonly server: string;
}

export function newChallenge(): string {
  return randomBytes(32).toString("hex");
}

/**
 * Proof that a side knows the token, which itself is never sent: on some systems another user can listen at our address before
 * us. A proof is good for one connection, one side and one address, so that nobody can pass on what another adapter proves.
 */
export function proofOf(side: "client" | "server", { token, socket }: Meeting, challenges: Challenges): string {
  const { client, server } = challenges;
  return createHmac("sha256", token)
    .update(JSON.stringify([side, socket, client, server]))
    .digest("hex");
}

/** Whether `given` is that proof; how long that takes reveals nothing about it. */
export function isProof(given: unknown, expected: string): boolean {
  if (typeof given !== "string") return false;
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** A member of what the other side has sent, if it is a short text. */
export function textMember(message: unknown, name: string): string | undefined {
  if (typeof message !== "object" || message === null) return undefined;
  const value: unknown = Object.entries(message).find(([key]) => key === name)?.[1];
  return typeof value === "string" && value.length <= 128 ? value : undefined;
}
