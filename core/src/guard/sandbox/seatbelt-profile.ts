import { isWithin, type SandboxPaths } from "./sandbox-plan.js";

/** Paths for a Seatbelt profile. Their links are resolved, and they are spelled as on disk. */
export interface SeatbeltPaths extends Omit<SandboxPaths, "system" | "secrets"> {
  readonly temporary: string;
  /** Links to folders that programs may follow. */
  readonly links: readonly string[];
  /**
   * Names that can cause code to run later and may not exist yet, by the folder they are in. `*` matches any part of a name, `**` one or
   * more names.
   */
  readonly named: readonly { readonly folder: string; readonly names: readonly string[] }[];
  /** Loopback ports that programs may connect to. */
  readonly ports: readonly number[];
}

/** Profile in the language of `sandbox-exec`. Paths are passed as parameters (`-D NAME=PATH`), so that no path can be read as a rule. */
export interface SeatbeltProfile {
  readonly text: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Folders with system programs, libraries and their settings, but without data of users or services. */
const systemFolders: readonly string[] = [
  ...["/usr", "/bin", "/sbin", "/System", "/opt", "/nix/store", "/Applications"],
  ...["/Library/Apple", "/Library/Developer", "/Library/Frameworks", "/Library/Java", "/Library/Perl", "/Library/Ruby"],
  ...["/private/etc", "/private/var/select", "/private/var/db/timezone", "/private/var/db/dyld"],
  "/private/var/db/xcode_select_link",
];

/** Folders with data of Homebrew and MacPorts services, and a second path under which the whole disk is reachable. */
const closedFolders: readonly string[] = [
  ...["/usr/local/var", "/opt/homebrew/var", "/opt/local/var"],
  "/System/Volumes/Data",
];

const systemLinks: readonly string[] = ["/", "/etc", "/tmp", "/var"];

/**
 * Rules that every program needs in addition to file access. Leaves out ways to escape from the sandbox:
 * - services that start programs (launchd, LaunchServices, Apple events)
 * - services that store secrets (securityd) or connect (trustd, mDNSResponder)
 * - the pasteboard
 * - other programs' settings
 * - other processes' arguments and environments (`kern.procargs2`)
 */
const base = `(version 1)
(deny default)
(deny process-info*)
(deny nvram*)
(deny iokit-get-properties)
(allow process-exec process-fork)
(allow signal process-info* (target same-sandbox))
(allow file-map-executable)
(allow file-read-metadata (literal "/dev"))
(allow file-read* (literal "/dev/random") (literal "/dev/urandom"))
(allow file-read* (literal "/dev/stdin") (literal "/dev/stdout") (literal "/dev/stderr"))
(allow file-read* file-write-data file-ioctl (literal "/dev/null") (literal "/dev/zero") (subpath "/dev/fd"))
(allow pseudo-tty)
(allow file-read* file-write-data file-ioctl (literal "/dev/ptmx"))
(allow file-read* file-write-data file-ioctl
  (require-all (regex #"^/dev/ttys[0-9]+$") (extension "com.apple.sandbox.pty")))
(allow ipc-posix-sem)
(allow system-socket (socket-domain AF_UNIX))
(allow mach-lookup
  (global-name "com.apple.logd")
  (global-name "com.apple.system.logger")
  (global-name "com.apple.system.notification_center")
  (global-name "com.apple.system.opendirectoryd.libinfo")
  (global-name "com.apple.system.opendirectoryd.membership"))
(allow sysctl-read
  (sysctl-name-prefix "hw.")
  (sysctl-name-prefix "machdep.cpu.")
  (sysctl-name-prefix "net.routetable.")
  (sysctl-name "kern.argmax")
  (sysctl-name "kern.boottime")
  (sysctl-name "kern.hostname")
  (sysctl-name "kern.iossupportversion")
  (sysctl-name "kern.maxfiles")
  (sysctl-name "kern.maxfilesperproc")
  (sysctl-name "kern.maxproc")
  (sysctl-name "kern.ngroups")
  (sysctl-name "kern.osproductversion")
  (sysctl-name "kern.osrelease")
  (sysctl-name "kern.ostype")
  (sysctl-name "kern.osvariant_status")
  (sysctl-name "kern.osversion")
  (sysctl-name "kern.secure_kernel")
  (sysctl-name "kern.tcsm_available")
  (sysctl-name "kern.tcsm_enable")
  (sysctl-name "kern.usrstack64")
  (sysctl-name "kern.version")
  (sysctl-name "machdep.ptrauth_enabled")
  (sysctl-name "security.mac.lockdown_mode_state")
  (sysctl-name "sysctl.proc_cputype")
  (sysctl-name "sysctl.proc_translated")
  (sysctl-name "vm.loadavg"))
(allow sysctl-write (sysctl-name "kern.tcsm_enable"))`;

/**
 * Builds a sandbox's profile. The last rule that matches applies, so denials follow allowances; everything else is denied, including hard
 * links, which would give a file a name that no rule covers.
 */
export function seatbeltProfile(paths: SeatbeltPaths): SeatbeltProfile {
  const { privateHome, temporary, programs, state, roots, runsLater, hidden, given = [], links, named, ports } = paths;
  const { parameters, each } = pathParameters();
  const owned = [...state, ...roots];
  const writable = [...new Set([privateHome, temporary, ...owned])];
  const readable = [...programs, ...writable];
  const above = [...readable, ...given, ...links].flatMap(foldersAbove);
  const isOwned = (path: string): boolean => writable.some((folder) => isWithin(path, folder));
  const exact = named.flatMap(({ folder, names: all }) =>
    all.filter((name) => !name.includes("*")).map((name) => `${folder}/${name}`),
  );
  const held = [...new Set([...runsLater, ...exact])];
  const concealed = hidden.filter((path) => writable.some((folder) => path !== folder && isWithin(path, folder)));
  const besideConcealed = writable.filter((path) => concealed.some((folder) => isWithin(path, folder)));
  // Prevent moving these folders: a folder could be moved, changed under names that no rule covers, and moved back.
  const pinned = [...writable, ...[...held, ...hidden, ...writable].flatMap(foldersAbove).filter(isOwned)];
  return {
    parameters,
    text: [
      base,
      rule("allow file-read-metadata", fixed("literal", systemFolders.flatMap(foldersAbove))),
      rule("allow file-read*", [...fixed("literal", systemLinks), ...fixed("subpath", systemFolders)]),
      rule("allow file-read-metadata", each("literal", above)),
      rule("allow file-read*", [...each("literal", [...links, ...given]), ...each("subpath", readable)]),
      rule("allow file-write*", each("subpath", writable)),
      ...socketRules("allow", each("subpath", writable)),
      // Deny these sockets, on which programs outside the sandbox listen, for example an agent's own service.
      ...socketRules("deny", each("subpath", concealed)),
      ...socketRules("allow", each("subpath", besideConcealed)),
      rule(
        "allow network-outbound",
        ports.map((port) => `(remote ip "localhost:${port}")`),
      ),
      rule("deny file-read* file-write*", fixed("subpath", closedFolders)),
      rule("deny file-write*", each("subpath", held)),
      ...named.flatMap(({ folder, names: all }) =>
        all.length === 0
          ? []
          : rule("deny file-write*", [namedFilter(each("subpath", [folder]), pattern(folder, all))]),
      ),
      rule("deny file-write-unlink", each("literal", pinned)),
      // Deny reading hidden folders except for listed paths, since Symposium's folder contains installed agents and extensions, and
      // language server sockets.
      rule(
        "deny file-read-data",
        hidden.map((path) => hiddenBut(each, path, [...readable, ...given])),
      ),
      rule(
        "deny file-write*",
        hidden.map((path) => hiddenBut(each, path, writable)),
      ),
    ]
      .filter((text) => text !== "")
      .join("\n"),
  };
}

interface PathParameters {
  readonly parameters: Readonly<Record<string, string>>;
  readonly each: (filter: "literal" | "subpath", all: readonly string[]) => readonly string[];
}

function pathParameters(): PathParameters {
  const parameters: Record<string, string> = {};
  const names = new Map<string, string>();
  const parameter = (path: string): string => {
    const name = names.get(path) ?? `PATH_${names.size}`;
    names.set(path, name);
    parameters[name] = path;
    return `(param "${name}")`;
  };
  return { parameters, each: (filter, all) => [...new Set(all)].map((path) => `(${filter} ${parameter(path)})`) };
}

function fixed(filter: "literal" | "subpath", all: readonly string[]): readonly string[] {
  return [...new Set(all)].map((path) => `(${filter} "${path}")`);
}

function hiddenBut(each: PathParameters["each"], path: string, open: readonly string[]): string {
  const inside = open.filter((one) => one !== path && isWithin(one, path));
  const but = each("subpath", inside).map((filter) => ` (require-not ${filter})`);
  return `(require-all ${each("subpath", [path]).join("")}${but.join("")})`;
}

function namedFilter(folder: readonly string[], names: string): string {
  return `(require-all ${folder.join("")} (regex #"${names}"))`;
}

function socketRules(effect: "allow" | "deny", filters: readonly string[]): readonly string[] {
  return [
    rule(
      `${effect} network-bind network-inbound`,
      filters.map((filter) => `(local unix-socket ${filter})`),
    ),
    rule(
      `${effect} network-outbound`,
      filters.map((filter) => `(remote unix-socket ${filter})`),
    ),
  ];
}

function rule(words: string, filters: readonly string[]): string {
  return filters.length === 0 ? "" : `(${words}${filters.map((filter) => `\n  ${filter}`).join("")})`;
}

/**
 * Returns a case-insensitive pattern for names below a folder, since most macOS disks ignore case. To keep the pattern ASCII, other
 * characters in the folder's path match anything; the rule also names the folder exactly.
 */
function pattern(folder: string, names: readonly string[]): string {
  const root = folder.replace(/[^\w/-]+/g, "[^/]+");
  const inside = names.map((name) =>
    name.replace(/[a-z]|[*]{1,2}|[^\w/-]/gi, (one) => {
      if (one.startsWith("*")) return one === "*" ? "[^/]*" : ".+";
      return one.toLowerCase() === one.toUpperCase() ? `[${one}]` : `[${one.toLowerCase()}${one.toUpperCase()}]`;
    }),
  );
  return `^${root}/(${inside.join("|")})(/.*)?$`;
}

/** Returns all parent folders of a path except `/`. */
function foldersAbove(path: string): readonly string[] {
  const names = path.split("/").slice(1, -1);
  return names.map((_, index) => `/${names.slice(0, index + 1).join("/")}`);
}
