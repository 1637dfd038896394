import { randomUUID } from "node:crypto";
import { askProgram } from "../../../../base/node/ask-program.js";
import { desktopVariables, minimalEnvironment } from "../../../../base/node/minimal-environment.js";
import { windowsProgram } from "../../../../base/node/windows-program.js";

/** Where the operating system keeps secrets of this user. */
export interface KeyStore {
  /** Stands in our file beside the reference. */
  readonly id: string;
  /** For people, such as "the keychain of macOS". */
  readonly title: string;
  /** Keeps `key`, a text of letters and digits, and resolves with what it is found by, which is no secret. Rejects where it is not kept. */
  keep(key: string): Promise<string>;
  /** Rejects where it cannot be had: the store is locked, or it is not there. */
  read(reference: string): Promise<string>;
}

interface KeyStoreOptions {
  readonly platform?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** How long the user may take to unlock it. */
  readonly timeoutMs?: number;
}

/** The name under which the key is shown in the user's own list of secrets. */
const service = "symposium-acp-agent";

/**
 * The system's own store, asked by the programs that come with it, so that nothing of it is compiled into this product; never by one
 * that lies in the folder of this process, which may be a project.
 * Values pass through their standard input alone. Undefined where this system has none that could be asked.
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

/** Its program reads whole commands from its input, where nobody sees them, as arguments could be seen. */
function keychain(run: Run): KeyStore {
  return {
    id: "keychain",
    title: "the keychain of macOS",
    async keep(key) {
      const account = randomUUID();
      await run("security", ["-i"], `add-generic-password -U -s ${service} -a ${account} -w ${key}\n`);
      return account;
    },
    read: (account) => run("security", ["find-generic-password", "-s", service, "-a", account, "-w"]),
  };
}

/** GNOME Keyring, KWallet and others, by the program of libsecret. */
function secretService(run: Run): KeyStore {
  const attributes = (account: string): string[] => ["service", service, "account", account];
  return {
    id: "secret-service",
    title: "the keyring of this desktop",
    async keep(key) {
      const account = randomUUID();
      await run("secret-tool", ["store", "--label=Symposium: key of secrets.json", ...attributes(account)], key);
      return account;
    },
    read: (account) => run("secret-tool", ["lookup", ...attributes(account)]),
  };
}

/** Windows encrypts for its user: the reference is the encrypted key. */
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
    title: "the data protection of Windows",
    keep: (key) => convert("Protect", Buffer.from(key).toString("base64")),
    read: async (reference) => Buffer.from(await convert("Unprotect", reference), "base64").toString(),
  };
}

/** Without it nobody answers, and the program would try to start a bus. */
function hasSessionBus(env: NodeJS.ProcessEnv): boolean {
  return (env["DBUS_SESSION_BUS_ADDRESS"] ?? "") !== "";
}
