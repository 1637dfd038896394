import * as l10n from "@vscode/l10n";
import { mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { env, Uri, window } from "vscode";
import type { SubcommandRunner } from "./subcommand-runner.js";
import type { SettingsSource } from "../settings/settings-source.js";

/**
 * Opens the latest protocol trace in the browser. If there is none, asks the user whether to start tracing, because traces include message
 * contents.
 */
export async function showTrace(commandLine: SubcommandRunner, source: SettingsSource, folder: string): Promise<void> {
  const { traceDir } = source.settings;
  if (traceDir === "") {
    const detail = l10n.t(
      "From now on, all messages between editor, proxies and agent are written to a folder on this machine, including their contents. Credentials are redacted.",
    );
    const answer = await window.showInformationMessage(
      l10n.t("Trace the protocol?"),
      { modal: true, detail },
      l10n.t("Trace"),
    );
    if (answer === undefined) return;
    await mkdir(folder, { recursive: true });
    await source.write("traceDir", folder);
    void window.showInformationMessage(l10n.t("New tabs are now traced. Run this command again to open the trace."));
    return;
  }
  const trace = await latestIn(traceDir);
  if (trace === undefined) {
    void window.showInformationMessage(
      l10n.t("There is no trace in {0} yet. Open a new tab and talk to the agent.", traceDir),
    );
    return;
  }
  const page = trace.replace(/\.[^.]*$/, ".html");
  await commandLine.run(["trace", trace, "--output", page]);
  await env.openExternal(Uri.file(page));
}

async function latestIn(folder: string): Promise<string | undefined> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => /\.jsonl?$/.test(name));
  const files = await Promise.all(
    names.map(async (name) => ({ path: join(folder, name), time: (await stat(join(folder, name))).mtimeMs })),
  );
  return files.sort((a, b) => b.time - a.time)[0]?.path;
}
