import type { PermissionOption } from "@agentclientprotocol/sdk/unstable";
import { asObject } from "../../rpc/json.js";
import type { Outcome } from "../../rpc/message.js";

/** One option of each kind that ACP knows. */
export const allOptions: readonly PermissionOption[] = [
  { optionId: "allow-once", name: "Allow once", kind: "allow_once" },
  { optionId: "allow-always", name: "Always allow", kind: "allow_always" },
  { optionId: "reject-once", name: "Reject", kind: "reject_once" },
  { optionId: "reject-always", name: "Always reject", kind: "reject_always" },
];

/** Where every single answer is asked for, "always" would not be kept, so it is not offered. */
export const onceOptions: readonly PermissionOption[] = allOptions.filter(({ kind }) => kind.endsWith("_once"));

/** How a permission request ended. */
export type Decision =
  | { readonly kind: "selected"; readonly option: PermissionOption }
  | { readonly kind: "cancelled" }
  | { readonly kind: "failed"; readonly message: string };

/** Reads the client's answer to a permission request that offered `options`. */
export function parseDecision(outcome: Outcome, options: readonly PermissionOption[]): Decision {
  const answer = outcome.json.object;
  if (outcome.isError) {
    const message = answer?.["message"];
    return { kind: "failed", message: typeof message === "string" ? message : outcome.json.text };
  }
  const { outcome: kind, optionId } = asObject(answer?.["outcome"]) ?? {};
  if (kind === "cancelled") return { kind };
  const option = options.find((offered) => offered.optionId === optionId);
  if (kind === "selected" && option) return { kind, option };
  return { kind: "failed", message: `it answered ${outcome.json.text}, which is none of the options` };
}

export function isAllowed(decision: Decision): boolean {
  return decision.kind === "selected" && decision.option.kind.startsWith("allow");
}
