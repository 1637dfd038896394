import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** Request `{challenge}` that asks an adapter to prove itself; the answer is `{challenge, proof}`. */
export const proveMethod = "_symposium/prove";

/** Facts known to both sides in advance: the user's token and the address. */
export interface Meeting {
  readonly token: string;
  readonly socket: string;
}

interface Challenges {
  readonly client: string;
  readonly server: string;
}

export function newChallenge(): string {
  return randomBytes(32).toString("hex");
}

/**
 * Computes the proof that a side knows the token. The token is never sent, since on some systems another user can listen at the address
 * first. A proof is valid for one connection, side and address, so that it can't be relayed.
 */
export function proofOf(side: "client" | "server", { token, socket }: Meeting, challenges: Challenges): string {
  const { client, server } = challenges;
  return createHmac("sha256", token)
    .update(JSON.stringify([side, socket, client, server]))
    .digest("hex");
}

/** Returns whether a proof is correct; takes the same time for any proof. */
export function isProof(given: unknown, expected: string): boolean {
  if (typeof given !== "string") return false;
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Returns a member of the other side's message if the member is a short text; otherwise undefined. */
export function textMember(message: unknown, name: string): string | undefined {
  if (typeof message !== "object" || message === null) return undefined;
  const value: unknown = Object.entries(message).find(([key]) => key === name)?.[1];
  return typeof value === "string" && value.length <= 128 ? value : undefined;
}
