import { defaultSettings, type Settings } from "../../../settings/settings-table.js";
import { type Environment, openEnvironment } from "../../environment.js";
import { say } from "../output.js";
import { Style } from "../style.js";
import { waitingFor } from "../waiting-line.js";
import { untilSignal } from "../until-signal.js";
import { type Finding, findingLines } from "./finding.js";

export interface CheckCommandOptions {
  /** Level of `--log`. Without a level nothing is logged, since the findings report the problems. */
  readonly log: string | undefined;
  /** Whether to print one JSON line instead of one line per finding. */
  readonly isJson: boolean;
  /** Folders that the caller trusts; see `EnvironmentOptions`. */
  readonly trustedFolders?: readonly string[] | undefined;
  readonly settings?: Settings;
}

/** Runs `check` and prints its findings. Resolves with the exit code: 1 if a check failed. */
export async function checkCommand(
  { log = "off", isJson, trustedFolders, settings = defaultSettings }: CheckCommandOptions,
  check: (environment: Environment, signal: AbortSignal) => Promise<readonly Finding[]>,
): Promise<number> {
  await using environment = await openEnvironment({ values: { log, "trusted-folder": trustedFolders }, settings });
  const checking = untilSignal(
    environment,
    (signal) => check(environment, signal),
    () => undefined,
  );
  return await printFindings(await waitingFor("Checking", checking), isJson);
}

/** Prints findings. Resolves with the exit code: 1 if a check failed. */
export async function printFindings(findings: readonly Finding[], isJson: boolean): Promise<number> {
  await say(isJson ? JSON.stringify(findings) : findingLines(findings, Style.of(process.stdout, process.env)));
  return findings.some(({ status }) => status === "fail") ? 1 : 0;
}
