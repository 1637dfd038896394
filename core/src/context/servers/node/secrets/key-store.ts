import { randomUUID } from "node:crypto";
import { askProgram } from "../../../../base/node/ask-program.js";
import { desktopVariables, minimalEnvironment } from "../../../../base/node/minimal-environment.js";
import { windowsProgram } from "../../../../base/node/windows-program.js";

export interface KeyStore {
  /** Id of the secret store. Stored in `secrets.json` with the key's reference. */
  readonly id: string;
  /** Display name, for example "the macOS keychain". */
  readonly title: string;
  /**
   * Stores `key`, which has only letters and digits. Resolves with a reference for {@link read}, which isn't secret. Rejects on failure.
   */
  keep(key: string): Promise<string>;
  /** Reads a key. Rejects if the store is locked or unavailable, or doesn't contain the key. */
  read(reference: string): Promise<string>;
}

interface KeyStoreOptions {
  readonly platform?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Time limit in milliseconds, including the user's unlocking of the store; default 60 s. */
  readonly timeoutMs?: number;
}

/** Name of the key in the user's list of secrets. */
const service = "symposium-acp-agent";

/**
 * Returns the system's secret store; undefined if there is none. Uses the system's own programs instead of native code, never one from the
 * current folder, which may be a project. Secrets pass only through standard input.
 */
export function systemKeyStore(options: KeyStoreOptions = {}): KeyStore | undefined {
  const { platform = process.platform, env = process.env, timeoutMs = 60_000 } = options;
  const outer = minimalEnvironment(env, { more: desktopVariables, notFrom: [process.cwd()] });
  const run = async (command: string, args: readonly string[], input = ""): Promise<string> => {
    const { code, stdout, fault = "" } = await askProgram([command, ...args], { env: outer, input, timeoutMs });
    if (code === 0) return stdout.trim();
    throw new Error(`${command}: ${fault}`);
  };
  switch (platform) {
    case "darwin":
      return keychain(run);
    case "win32":
      return dataProtection(run);
    default:
      return hasSessionBus(env) ? secretService(run) : undefined;
  }
}

type Run = (command: string, args: readonly string[], input?: string) => Promise<string>;

/** Passes the command through standard input of `security -i`, since other users could see arguments. */
function keychain(run: Run): KeyStore {
  return {
    id: "keychain",
    title: "the macOS keychain",
    async keep(key) {
      const account = randomUUID();
      await run("security", ["-i"], `add-generic-password -U -s ${service} -a ${account} -w ${key}\n`);
      return account;
    },
    read: (account) => run("security", ["find-generic-password", "-s", service, "-a", account, "-w"]),
  };
}

/** GNOME Keyring, KWallet and others, through libsecret's `secret-tool`. */
function secretService(run: Run): KeyStore {
  const attributes = (account: string): string[] => ["service", service, "account", account];
  return {
    id: "secret-service",
    title: "this desktop's keyring",
    async keep(key) {
      const account = randomUUID();
      await run("secret-tool", ["store", "--label=Symposium: key of secrets.json", ...attributes(account)], key);
      return account;
    },
    read: (account) => run("secret-tool", ["lookup", ...attributes(account)]),
  };
}

/** Windows encrypts data for the user; the reference is the encrypted key. */
function dataProtection(run: Run): KeyStore {
  const script = (verb: "Protect" | "Unprotect"): string[] => [
    "-NoProfile",
    "-NonInteractive",
    "-Command",
    "Add-Type -AssemblyName System.Security; $in = [Convert]::FromBase64String([Console]::In.ReadToEnd().Trim()); " +
      `[Convert]::ToBase64String([Security.Cryptography.ProtectedData]::${verb}($in, $null, 'CurrentUser'))`,
  ];
  const convert = async (verb: "Protect" | "Unprotect", base64: string): Promise<string> =>
    run(windowsProgram("WindowsPowerShell", "v1.0", "powershell.exe"), script(verb), base64);
  return {
    id: "data-protection",
    title: "Windows data protection",
    keep: (key) => convert("Protect", Buffer.from(key).toString("base64")),
    read: async (reference) => Buffer.from(await convert("Unprotect", reference), "base64").toString(),
  };
}

/** Without a session bus, `secret-tool` would try to start one and get no answer. */
function hasSessionBus(env: NodeJS.ProcessEnv): boolean {
  return (env["DBUS_SESSION_BUS_ADDRESS"] ?? "") !== "";
}
