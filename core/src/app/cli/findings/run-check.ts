import { defaultSettings, type Settings } from "../../../settings/settings-table.js";
import { type Environment, openEnvironment } from "../../environment.js";
import { say } from "../registry/output.js";
import { Style } from "../style.js";
import { waitingFor } from "../waiting-line.js";
import { untilSignal } from "../until-signal.js";
import { type Finding, findingLines } from "./finding.js";

export interface CheckCommandOptions {
  /** The level of `--log`; without it nothing is logged, since the findings say what is wrong. */
  readonly log: string | undefined;
  /** Whether the findings are one line of JSON rather than a line each. */
  readonly isJson: boolean;
  /** As in `EnvironmentOptions`. */
  readonly trustedFolders?: readonly string[] | undefined;
  readonly settings?: Settings;
}

/** Prints what `check` finds. Resolves with the exit code: 1 when something fails. */
export async function checkCommand(
  { log = "off", isJson, trustedFolders, settings = defaultSettings }: CheckCommandOptions,
  check: (environment: Environment, signal: AbortSignal) => Promise<readonly Finding[]>,
): Promise<number> {
  await using environment = await openEnvironment({ log, traceDir: undefined, trustedFolders, settings });
  const checking = untilSignal(
    environment,
    (signal) => check(environment, signal),
    () => undefined,
  );
  const findings = await waitingFor("Checking", checking);
  await say(isJson ? JSON.stringify(findings) : findingLines(findings, Style.of(process.stdout, process.env)));
  return findings.some(({ status }) => status === "fail") ? 1 : 0;
}
