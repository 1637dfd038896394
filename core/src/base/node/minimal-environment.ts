import { delimiter } from "node:path";
import { leadsInto, outerPath } from "./search-path-outside-project.js";

/** Variables that identify the user and the locations of the system and tools. None makes a program load code. */
const allowed = new Set([
  ...["PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TMPDIR", "TEMP", "TMP", "XDG_CONFIG_HOME"],
  ...["SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "USERPROFILE", "USERNAME", "HOMEDRIVE", "HOMEPATH"],
  ...["APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES", "PROGRAMFILES(X86)"],
  ...["PYENV_ROOT", "VOLTA_HOME", "NVM_DIR", "ASDF_DATA_DIR", "MISE_DATA_DIR"],
  ...["JAVA_HOME", "GOROOT", "CARGO_HOME", "RUSTUP_HOME"],
]);

/** Variables with package managers' registries, certificates, proxies, tokens and folders. */
export const packageClientVariables =
  /^(?:(?:https?|no|all)_proxy|ssl_cert_(?:file|dir)|node_extra_ca_certs|requests_ca_bundle|(?:pip|curl)_.*(?:cert|ca_bundle)|npm_config_(?:.*:)?registry|pip_(?:extra_)?index_url|uv_\w*index\w*|go(?:proxy|sumdb|no(?:sumdb|proxy)|private|insecure|path|modcache)|\w+_token)$/i;

/** Variables that locate the user's desktop, such as screen and keyring. */
export const desktopVariables =
  /^(?:DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|DBUS_SESSION_BUS_ADDRESS|XDG_(?:RUNTIME_DIR|CURRENT_DESKTOP|SESSION_\w+|DATA_(?:HOME|DIRS)|CONFIG_DIRS)|DESKTOP_SESSION|KDE_\w+|GNOME_\w+|BROWSER|WSL_\w+|WSLENV)$/;

interface MinimalEnvironmentOptions {
  readonly more?: RegExp;
  /** Folders writable by agents; removed from PATH and other variables. */
  readonly notFrom?: readonly string[];
}

/**
 * Creates an environment for a program that runs unsandboxed because of an agent. Starts empty and adds only the variables above, so that
 * no variable such as `PYTHONPATH` or `NODE_OPTIONS` makes the program load code from folders that agents can write to.
 */
export function minimalEnvironment(
  env: NodeJS.ProcessEnv,
  { more, notFrom = [] }: MinimalEnvironmentOptions = {},
): NodeJS.ProcessEnv {
  const entries = Object.entries(env).flatMap(([name, value = ""]): [string, string][] => {
    const plain = process.platform === "win32" ? name.toUpperCase() : name;
    if (plain === "PATH") return [[name, outerPath(value, notFrom)]];
    if (!allowed.has(plain) && more?.test(name) !== true) return [];
    return value.split(delimiter).some((path) => leadsInto(path, notFrom)) ? [] : [[name, value]];
  });
  return Object.fromEntries(entries);
}
