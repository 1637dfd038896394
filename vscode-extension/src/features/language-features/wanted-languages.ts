import { asObject } from "@symposium-dev/core";
import { adapterLanguages, isServed } from "./served-languages.js";

/** Facts about the window that decide whether Symposium's language client runs. */
export interface Circumstances {
  /** Value of `symposium.KEY`; for `extensions` that of the user, because a workspace may name programs there. */
  readonly setting: (key: "languageFeatures" | "startLanguageServers" | "extensions") => unknown;
  readonly isTrusted: boolean;
  /** The package.json of each installed extension. */
  readonly manifests: readonly unknown[];
}

export interface OpenedDocument {
  readonly languageId: string;
  readonly uri: string;
  /** URI of the document's workspace folder; undefined outside the workspace. */
  readonly folder: string | undefined;
}

/** Languages to serve, by folder. The value is a document that has the language. */
export type WantedLanguages = ReadonlyMap<string, ReadonlyMap<string, string>>;

/**
 * Returns the languages that Symposium's language client serves in each folder: those of the documents, if the adapter has a server and no
 * extension serves the language.
 */
export function wantedLanguages(documents: readonly OpenedDocument[], circumstances: Circumstances): WantedLanguages {
  const wanted = new Map<string, Map<string, string>>();
  const { setting, isTrusted, manifests } = circumstances;
  const options = ideOperationsOptions(setting("extensions"));
  const isOn = setting("languageFeatures") !== "off" && setting("startLanguageServers") !== false;
  if (!isTrusted || !isOn || options === undefined) return wanted;
  const languages = adapterLanguages(options);
  const served = new Map<string, boolean>();
  for (const { languageId, uri, folder } of documents) {
    if (folder === undefined || !languages.has(languageId)) continue;
    if (!served.has(languageId)) served.set(languageId, isServed(languageId, manifests));
    if (served.get(languageId) === true) continue;
    const inFolder = wanted.get(folder) ?? new Map<string, string>();
    if (!inFolder.has(languageId)) inFolder.set(languageId, uri);
    wanted.set(folder, inFolder);
  }
  return wanted;
}

/** Returns the options of the extension `ide-operations`; undefined if it is off or may not start language servers. */
export function ideOperationsOptions(extensions: unknown): Readonly<Record<string, unknown>> | undefined {
  const list: readonly unknown[] = Array.isArray(extensions) ? extensions : [];
  const entry = list.map((one) => asObject(one)).find((one) => one?.["id"] === "ide-operations");
  if (Array.isArray(extensions) && (entry?.["_enabled"] ?? entry?.["enabled"] ?? entry !== undefined) === false)
    return undefined;
  const options = asObject(entry?.["options"]) ?? {};
  return options["adapter"] === false ? undefined : options;
}
