/** What decides where Zed keeps its settings. */
export interface ZedPlace {
  /** As in `process.platform`. */
  readonly platform: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

/** A file that Zed may read the user's settings from. */
export interface ZedSettingsFile {
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
