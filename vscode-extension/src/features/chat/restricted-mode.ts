import { SymposiumError } from "@symposium-dev/core";
import type { Action } from "../../../protocol/index.js";

/** Offered where no agent is started because the workspace is not trusted. */
export const manageTrust: Action = { id: "manage-trust", label: "Manage workspace trust", style: "primary" };

/** An agent is wanted in a workspace that the user does not trust. */
export class RestrictedMode extends SymposiumError {
  constructor() {
    super(
      "component-start-failed",
      "This window is in restricted mode, in which no agent is started.",
      "Trust the workspace to work with agents in it.",
    );
  }
}
