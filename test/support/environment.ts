import { join } from "node:path";
import { rustFolders } from "@symposium-dev/core/testing/node";

/** Variables that programs need from the machine. Excludes the user's credentials and settings. */
const machineNames = [
  "LANG",
  "LC_ALL",
  "SHELL",
  "USER",
  "LOGNAME",
  "SystemRoot",
  "SystemDrive",
  "ComSpec",
  "PATHEXT",
  "WINDIR",
];
/** Additional variables for npm: the user's home with `.npmrc`, certificates and proxies. */
const networkNames = [
  ...["HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "TMPDIR", "TEMP", "TMP"],
  ...["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"],
  ...["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "NPM_CONFIG_REGISTRY", "NPM_CONFIG_USERCONFIG", "NPM_CONFIG_CACHE"],
  ...["npm_config_registry", "npm_config_userconfig", "npm_config_cache"],
];

/** The environment for programs that may use the network as the user: npm and cargo. */
export function environmentOfThisMachine(): Record<string, string> {
  return { ...pick([...machineNames, ...networkNames]), ...rustFolders() };
}

/** The environment for a program that must not see the user: an empty home and temp folder below `folder`. */
export function isolatedEnvironment(folder: string): Record<string, string> {
  const home = join(folder, "home");
  return {
    ...pick(machineNames),
    HOME: home,
    USERPROFILE: home,
    APPDATA: join(home, "AppData", "Roaming"),
    LOCALAPPDATA: join(home, "AppData", "Local"),
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_DATA_HOME: join(home, ".local", "share"),
    XDG_STATE_HOME: join(home, ".local", "state"),
    XDG_CACHE_HOME: join(home, ".cache"),
    TMPDIR: join(folder, "tmp"),
    TEMP: join(folder, "tmp"),
    TMP: join(folder, "tmp"),
    NO_PROXY: "127.0.0.1,localhost",
    no_proxy: "127.0.0.1,localhost",
  };
}

function pick(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
