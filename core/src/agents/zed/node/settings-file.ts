import { createTwoFilesPatch, OMIT_HEADERS } from "diff";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { messageOf, SymposiumError } from "../../../base/symposium-error.js";
import { atomicWrite } from "../../../base/node/atomic-write.js";
import { configFolder } from "../../../settings/node/config-file.js";
import { FileLock } from "../../../base/node/file-lock.js";
import { parsedObject, stringOf } from "../../../base/rpc/json.js";
import { withoutSymposium } from "../language-models.js";

interface SettingsChoice {
  readonly settings: string | undefined;
  readonly isFlatpak: boolean;
}

interface ChosenSettings {
  readonly file: string;
  readonly other?: string;
}

/** Content of a settings file before and after Symposium's changes, used to restore the file byte for byte. */
interface Backup {
  readonly file: string;
  /** Content without Symposium's changes; undefined if the file didn't exist. */
  readonly before: string | undefined;
  /** SHA-256 of the content after Symposium's last change. */
  readonly after: string;
}

/**
 * Chooses the settings file: the file that the user named; otherwise Flatpak's file, if requested or if only Flatpak's Zed is installed;
 * otherwise the usual file.
 */
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

/** Returns the file's content; undefined if the file doesn't exist. Rejects with `invalid-config` if the file isn't readable UTF-8. */
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
      isEncoding ? "Nothing was changed. Save the file as UTF-8." : "Check that it is a readable file.",
      { cause: error },
    );
  }
}

/**
 * Writes `text`, and a backup of `current` without Symposium's changes. If nobody edited the file since Symposium's last change, the older
 * backup stays. Returns the backup's path, or undefined if the file didn't exist before. Rejects with `config-not-written` if the file no
 * longer equals `current`, since Zed writes it as well.
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
  // Write the backup first: after a crash before the second write, the backup's digest doesn't match and the backup is ignored.
  await written(backupFile, `${JSON.stringify(backup, undefined, 2)}\n`);
  await unchanged(file, current);
  await written(file, text);
  return before === undefined ? undefined : backupFile;
}

interface Restored {
  /** Content to restore; undefined if the file didn't exist before Symposium's changes. */
  readonly text: string | undefined;
  /** Whether the content equals the file's content before Symposium's changes, byte for byte. */
  readonly isExact: boolean;
}

/** Returns the backup if nobody edited the file since Symposium's last change; otherwise `without`, which preserves later edits. */
export async function restored(file: string, current: string, without: string): Promise<Restored> {
  const backup = await readBackup(file);
  return backup?.after === digest(current) ? { text: backup.before, isExact: true } : { text: without, isExact: false };
}

/** Restores the text and deletes the backup. Rejects as {@link writeSettings} does if the file doesn't equal `current`. */
export async function takeBack(file: string, current: string, { text }: Restored): Promise<void> {
  await using _lock = await lockOf(file);
  await unchanged(file, current);
  if (text === undefined) await rm(file, { force: true });
  else await written(file, text);
  await rm(backupFileOf(file), { force: true });
}

/** Returns undefined for a missing or invalid backup; the caller then removes entries one by one. */
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

/** Locks out other Symposium commands. The lock file is next to the backup, so that Zed's folder gets no files from Symposium. */
async function lockOf(file: string): Promise<FileLock> {
  return FileLock.take(backupFileOf(file)).catch((error: unknown) => {
    throw error instanceof SymposiumError ? error : notWritten(backupFileOf(file), error);
  });
}

async function unchanged(file: string, current: string | undefined): Promise<void> {
  if ((await readSettings(file)) === current) return;
  throw new SymposiumError(
    "config-not-written",
    `Another program changed ${file} in the meantime.`,
    "Nothing was written. Run the command again.",
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
    "The settings were not changed. Check the permissions of the file's folder.",
    { cause: error },
  );
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

interface ZedPlace {
  readonly platform: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

interface ZedSettingsFile {
  readonly kind: "usual" | "flatpak";
  readonly file: string;
}

/**
 * Possible locations of Zed's settings.json, usual one first. Linux: `$XDG_CONFIG_HOME/zed` or `~/.config/zed`, then Flatpak's folder.
 * macOS: `~/.config/zed`. Windows: `%APPDATA%\Zed`.
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

/** Formats a `diff -u` from `before` to `after`; empty if equal. Preserves CRLF, so that `patch` can apply the diff. */
export function unifiedDiff(before: string, after: string, file: string): string {
  if (before === after) return "";
  const options = { context: 3, headerOptions: OMIT_HEADERS };
  // The headers are written here, because the diff package would write non-ASCII names in octal.
  return `--- ${file}\n+++ ${file}\n${createTwoFilesPatch(file, file, before, after, undefined, undefined, options)}`;
}
