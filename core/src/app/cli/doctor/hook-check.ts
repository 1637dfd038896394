import { rowOfCommand } from "../../../agents/agent-quirks.js";
import type { ProcessComponent } from "../../../conductor/chain/component.js";
import { describeReach } from "../../../guard/hooks/hook-reach.js";
import { checked, type Finding } from "../findings/finding.js";

/** Says which hook events decide and which only watch, for the agent that the user chose. */
export function hookFindings({ command }: Pick<ProcessComponent, "command">): readonly Finding[] {
  return [checked("hooks").ok(describeReach(rowOfCommand(command)))];
}
