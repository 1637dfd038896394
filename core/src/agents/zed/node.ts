import { createTwoFilesPatch, OMIT_HEADERS } from "diff";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { messageOf, SymposiumError } from "../../base/symposium-error.js";
import { atomicWrite } from "../../base/node/atomic-write.js";
import { configFolder } from "../../settings/node/config-file.js";
import { FileLock } from "../../base/node/file-lock.js";
import { parsedObject, stringOf } from "../../base/rpc/json.js";
import { withoutSymposium } from "./language-models.js";

/** What the user said about where Zed's settings are. */
interface SettingsChoice {
  readonly settings: string | undefined;
  readonly isFlatpak: boolean;
}

/** The file that is meant, and another one that exists and is not touched. */
interface ChosenSettings {
  readonly file: string;
  readonly other?: string;
}

/** What this product keeps of its first change of a settings file, so that it can be taken back to the byte. */
interface Backup {
  readonly file: string;
  /** What the file held before; undefined when there was none. */
  readonly before: string | undefined;
  /** SHA-256 of what it held after our last change. */
  readonly after: string;
}

/** Chooses the named file, else the flatpak's where that one is asked for or the only Zed here, else the usual one. */
export function chooseSettings({ settings, isFlatpak }: SettingsChoice): ChosenSettings {
  if (settings !== undefined) return { file: resolve(settings) };
  const place = { platform: process.platform, env: process.env, home: homedir() };
  const [usual, flatpak] = zedSettingsFiles(place);
  if (!flatpak) {
    if (!isFlatpak) return { file: usual.file };
    throw new SymposiumError("invalid-arguments", "--flatpak is for Linux only.", "Leave it out.");
  }
  const hasFlatpak = existsSync(dirname(flatpak.file));
  const hasUsual = existsSync(dirname(usual.file));
  if (isFlatpak || (hasFlatpak && !hasUsual)) return { file: flatpak.file, ...(hasUsual && { other: usual.file }) };
  return { file: usual.file, ...(hasFlatpak && { other: flatpak.file }) };
}

/** What the file holds; undefined when there is none. Rejects with `invalid-config` when it cannot be read as UTF-8. */
export async function readSettings(file: string): Promise<string | undefined> {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await readFile(file));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT") return undefined;
    const isEncoding = code === "ERR_ENCODING_INVALID_ENCODED_DATA";
    throw new SymposiumError(
      "invalid-config",
      isEncoding ? `${file} is not UTF-8 text.` : `${file} cannot be read: ${messageOf(error)}.`,
      isEncoding ? "Save it as UTF-8; nothing was changed." : "Check what it is and its permissions.",
      { cause: error },
    );
  }
}

/**
 * Writes what the file is to hold after it held `current`, and keeps what it held without us as the backup, unless it
 * is still as our last change left it: then the older backup stays. Returns where that is kept; undefined where there
 * was no file without us. Rejects with
 * `config-not-written` where the file does not hold `current` any more: Zed writes it too.
 */
export async function writeSettings(
  file: string,
  current: string | undefined,
  text: string,
): Promise<string | undefined> {
  const backupFile = backupFileOf(file);
  await using _lock = await lockOf(file);
  const kept = current === undefined ? undefined : await readBackup(file);
  const isOlder = current !== undefined && kept?.after === digest(current);
  const before = isOlder ? kept.before : current && withoutSymposium(current, file);
  const backup: Backup = { file, before, after: digest(text) };
  // The backup first: a crash between the two leaves one that does not fit, and is then not used.
  await written(backupFile, `${JSON.stringify(backup, undefined, 2)}\n`);
  await unchanged(file, current);
  await written(file, text);
  return before === undefined ? undefined : backupFile;
}

/** What is left of a settings file when our changes are gone. */
interface Restored {
  /** Undefined where there was no file before us. */
  readonly text: string | undefined;
  /** Whether it is what the file held before us, to the byte. */
  readonly isExact: boolean;
}

/** What held before us where `current` is as our last change left it; else `without`, which keeps later edits. */
export async function restored(file: string, current: string, without: string): Promise<Restored> {
  const backup = await readBackup(file);
  return backup?.after === digest(current) ? { text: backup.before, isExact: true } : { text: without, isExact: false };
}

/** Writes that, and forgets the backup. Rejects as {@link writeSettings} does where the file does not hold `current`. */
export async function takeBack(file: string, current: string, { text }: Restored): Promise<void> {
  await using _lock = await lockOf(file);
  await unchanged(file, current);
  if (text === undefined) await rm(file, { force: true });
  else await written(file, text);
  await rm(backupFileOf(file), { force: true });
}

/** A backup that is not there, or no backup any more, is none: then our entries are taken out one by one. */
async function readBackup(file: string): Promise<Backup | undefined> {
  const kept = await readFile(backupFileOf(file), "utf8").catch(() => "");
  const { before, after, file: of } = parsedObject(kept) ?? {};
  if (of !== file || typeof after !== "string") return undefined;
  return { file, before: stringOf(before), after };
}

function backupFileOf(file: string): string {
  const name = `settings-${digest(file).slice(0, 12)}.json`;
  return join(configFolder(), "zed", name);
}

/** Keeps other commands of ours out. It stands beside the backup: Zed's own folder gets no files of ours. */
async function lockOf(file: string): Promise<FileLock> {
  return FileLock.take(backupFileOf(file)).catch((error: unknown) => {
    throw error instanceof SymposiumError ? error : notWritten(backupFileOf(file), error);
  });
}

async function unchanged(file: string, current: string | undefined): Promise<void> {
  if ((await readSettings(file)) === current) return;
  throw new SymposiumError(
    "config-not-written",
    `${file} was changed by another program meanwhile.`,
    "Nothing was written: repeat the command.",
  );
}

async function written(file: string, text: string): Promise<void> {
  try {
    await atomicWrite(file, text);
  } catch (error) {
    throw notWritten(file, error);
  }
}

function notWritten(file: string, error: unknown): SymposiumError {
  return new SymposiumError(
    "config-not-written",
    `${file} cannot be written: ${messageOf(error)}.`,
    "Check the permissions of its folder; the settings are as they were.",
    { cause: error },
  );
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** What decides where Zed keeps its settings. */
interface ZedPlace {
  /** As in `process.platform`. */
  readonly platform: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

/** A file that Zed may read the user's settings from. */
interface ZedSettingsFile {
  /** How this Zed was installed. */
  readonly kind: "usual" | "flatpak";
  readonly file: string;
}

/**
 * Where Zed's settings.json can be, the usual place first: `~/.config/zed` (also on macOS), on Linux
 * `XDG_CONFIG_HOME` before it and the flatpak's own folder beside it, on Windows `%APPDATA%\Zed`.
 */
export function zedSettingsFiles({ platform, env, home }: ZedPlace): readonly [ZedSettingsFile, ...ZedSettingsFile[]] {
  if (platform === "win32") {
    const roaming = setOf(env["APPDATA"]) ?? `${home}\\AppData\\Roaming`;
    return [{ kind: "usual", file: `${roaming}\\Zed\\settings.json` }];
  }
  if (platform === "darwin") return [{ kind: "usual", file: `${home}/.config/zed/settings.json` }];
  const config = setOf(env["XDG_CONFIG_HOME"]) ?? `${home}/.config`;
  const flatpak = setOf(env["FLATPAK_XDG_CONFIG_HOME"]) ?? `${home}/.var/app/dev.zed.Zed/config`;
  return [
    { kind: "usual", file: `${config}/zed/settings.json` },
    { kind: "flatpak", file: `${flatpak}/zed/settings.json` },
  ];
}

function setOf(value: string | undefined): string | undefined {
  return value === "" ? undefined : value;
}

/**
 * What changes from `before` to `after`, as `diff -u` shows it; empty for equal texts. Line ends are part of the lines,
 * so that CRLF stays visible to `patch`.
 */
export function unifiedDiff(before: string, after: string, file: string): string {
  if (before === after) return "";
  const options = { context: 3, headerOptions: OMIT_HEADERS };
  // The package would write a name with other than ASCII letters in octal.
  return `--- ${file}\n+++ ${file}\n${createTwoFilesPatch(file, file, before, after, undefined, undefined, options)}`;
}
