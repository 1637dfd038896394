import * as l10n from "@vscode/l10n";
import { homedir } from "node:os";
import { ProgressLocation, type QuickPickItem, ThemeIcon, window } from "vscode";
import { messageOf, objectsOf, parsedObject, stringOf } from "@symposium-dev/core";
import type { SubcommandRunner } from "../agents/subcommand-runner.js";
import type { TabMachine } from "../chat/tab-transcript.js";
import { knownMachines, listContainers, type Machine } from "./machines.js";

interface NewRemoteChatOptions {
  readonly commandLine: Pick<SubcommandRunner, "run">;
  readonly folder: () => string | undefined;
  open(machine: TabMachine): Promise<void>;
}

const icons = { ssh: "remote", container: "package", devcontainer: "symbol-container" };
const kinds = { ssh: l10n.t("SSH"), container: l10n.t("Container"), devcontainer: l10n.t("Dev container") };

/** Lets the user choose a machine and a folder there, and opens a chat with the agent there. */
export async function newRemoteChat(options: NewRemoteChatOptions): Promise<void> {
  try {
    const on = await chooseMachine(options.folder());
    if (on === undefined || !(await isReady(on, options)) || !(await areServersSettled(on, options))) return;
    const folder = await window.showInputBox({
      title: l10n.t("Folder on {0}", on),
      prompt: l10n.t("A relative path starts in the folder where the connection starts."),
      value: ".",
    });
    if (folder !== undefined && folder.trim() !== "") await options.open({ on, folder: folder.trim() });
  } catch (thrown) {
    void window.showErrorMessage(messageOf(thrown));
  }
}

async function chooseMachine(folder: string | undefined): Promise<string | undefined> {
  const other = l10n.t("Other…");
  const listed = knownMachines({ home: homedir(), folder, containers: listContainers });
  const items = listed.then((machines): (QuickPickItem & { readonly on?: string })[] => [
    ...machines.map(itemOf),
    { label: other, description: l10n.t("ssh:HOST, container:NAME, kubernetes:POD, command:PROGRAM") },
  ]);
  const title = l10n.t("New Chat on Another Machine");
  const chosen = await window.showQuickPick(items, { title, placeHolder: l10n.t("Choose the agent's machine") });
  if (chosen?.label !== other) return chosen?.on;
  const on = await window.showInputBox({ title, prompt: l10n.t("Machine, as for `--on`"), value: "ssh:" });
  return on?.trim() === "" ? undefined : on?.trim();
}

function itemOf({ kind, name, on }: Machine): QuickPickItem & { readonly on: string } {
  return { on, label: name, description: kinds[kind], iconPath: new ThemeIcon(icons[kind]) };
}

/** Connects once. If Symposium is missing there, offers to copy this version; nothing is copied unasked. */
async function isReady(on: string, { commandLine, folder }: NewRemoteChatOptions): Promise<boolean> {
  const words = ["host", "status", "--on", on, "--json"];
  const cwd = folder();
  const place = { ...(cwd !== undefined && { cwd }) };
  const progress = { location: ProgressLocation.Notification, title: l10n.t("Connecting to {0}…", on) };
  const output = await window.withProgress(progress, () => commandLine.run(words, place));
  const status = parsedObject(output);
  if (!status) throw new Error(output);
  const missing = stringOf(status["missing"]);
  if (missing === undefined) return true;
  const copy = l10n.t("Copy");
  const question = l10n.t("Copy this version of Symposium to {0}?", on);
  const detail = `${missing}\n\n${l10n.t("The copy goes to ~/.symposium/versions there, and needs Node 20.19.")}`;
  if ((await window.showWarningMessage(question, { modal: true, detail }, copy)) !== copy) return false;
  const copying = { location: ProgressLocation.Notification, title: l10n.t("Copying to {0}…", on) };
  await window.withProgress(copying, () => commandLine.run([...words, "--copy"], place));
  return true;
}

/** Asks once whether agents there may call the user's MCP servers, and stores the answer. Returns false if the user cancels. */
async function areServersSettled(on: string, { commandLine, folder }: NewRemoteChatOptions): Promise<boolean> {
  const cwd = folder();
  const place = { ...(cwd !== undefined && { cwd }) };
  const words = ["mcp", "share", on];
  const known = parsedObject(await commandLine.run([...words, "--json"], place))?.["servers"];
  const unasked = objectsOf(known).flatMap(({ name, isShared }) => (isShared === undefined ? [String(name)] : []));
  if (unasked.length === 0) return true;
  const [share, keep] = [l10n.t("Share"), l10n.t("Don't Share")];
  const question = l10n.t("Share your MCP servers with agents on {0}?", on);
  const detail = l10n.t(
    "Agents there could call the tools of: {0}. The servers and their secrets stay on this machine.",
    unasked.join(", "),
  );
  const answer = await window.showWarningMessage(question, { modal: true, detail }, share, keep);
  if (answer === undefined) return false;
  await commandLine.run([...words, ...unasked, answer === share ? "--yes" : "--no"], place);
  return true;
}
