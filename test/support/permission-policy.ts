import type {
  PermissionOptionKind,
  RequestPermissionRequest,
  RequestPermissionResponse,
} from "@agentclientprotocol/sdk/unstable";

/** The kinds of option a client takes, the preferred one first. */
export type PermissionPolicy = readonly PermissionOptionKind[];

export const allowOnce: PermissionPolicy = ["allow_once", "allow_always"];

/** Selects the option whose kind comes first in `policy`, in whatever order the agent lists them; `cancelled` if none is offered. */
export function answerPermission(
  request: RequestPermissionRequest,
  policy: PermissionPolicy,
): RequestPermissionResponse {
  for (const kind of policy) {
    const option = request.options.find((candidate) => candidate.kind === kind);
    if (option) return { outcome: { outcome: "selected", optionId: option.optionId } };
  }
  return { outcome: { outcome: "cancelled" } };
}
