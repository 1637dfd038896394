import type { Escape } from "./escape.js";

const python = (lines: readonly string[]): string =>
  `python3 - <<'END'\nimport ctypes, os, socket, sys\nlibc = ctypes.CDLL(None, use_errno=True)\n${lines.join("\n")}\nEND`;

/** Shell condition that is true only on Linux; the scripts use Linux system call numbers and constants. */
const hasProc = "test -d /proc/self";
const onLinux = `python3 -c pass && ${hasProc}`;

const call = (number: number, ...args: readonly string[]): string =>
  python([`sys.exit(0 if libc.syscall(${[String(number), ...args].join(", ")}) >= 0 else 1)`]);

const connect = (address: string): string =>
  `"$NODE" -e 'require("net").connect(${address}).on("connect", () => process.exit(0)).on("error", () => process.exit(1)).on("data", (d) => process.stdout.write(d))'`;

export const processEscapes: readonly Escape[] = [
  {
    row: "31",
    what: "a Unix socket on the host (ssh-agent)",
    script: `${connect("process.env.SOCKET")} && echo selftest-secret`,
    expected: "refused",
  },
  {
    row: "32",
    what: "the Docker socket",
    script: "test -S /var/run/docker.sock || test -S /run/docker.sock",
    expected: "refused",
  },
  {
    ...{ row: "33", what: "the D-Bus sockets", expected: "refused" },
    script:
      'test -S /run/dbus/system_bus_socket || test -S "/run/user/$(id -u)/bus" || test -n "$DBUS_SESSION_BUS_ADDRESS"',
  },
  {
    row: "34",
    what: "an abstract socket on the host",
    needs: hasProc,
    script: `${connect('"\\0" + process.env.ABSTRACT')} && echo selftest-secret`,
    expected: "refused",
  },
  {
    ...{ row: "34b", what: "a host socket in the workspace", expected: "listed" },
    script: `${connect('process.env.PROJECT + "/in.sock"')} && echo selftest-secret`,
  },
  {
    ...{ row: "35", what: "a Unix socket created in the sandbox", expected: "works" },
    script: `"$NODE" -e 'require("net").createServer().listen(process.env.TMPDIR + "/own.sock", () => process.exit(0))'`,
  },
  {
    row: "36",
    what: "a TCP port on the host",
    script: `${connect('Number(process.env.PORT), "127.0.0.1"')} && echo selftest-secret`,
    expected: "refused",
  },
  {
    ...{ row: "48", what: "a raw socket", needs: onLinux, expected: "refused" },
    script: python(["socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)", "socket.socket(17, socket.SOCK_RAW, 3)"]),
  },
  {
    row: "49",
    what: "a virtual machine socket (vsock)",
    needs: onLinux,
    script: python(["socket.socket(40, 1)"]),
    expected: "refused",
  },
  { row: "50", what: "signal our process", script: 'kill -0 "$CONDUCTOR"', expected: "refused" },
  {
    row: "51",
    what: "trace our process",
    needs: onLinux,
    expected: "refused",
    script: call(101, "16", 'int(os.environ["CONDUCTOR"])', "0", "0"),
  },
  {
    row: "52",
    what: "read our process's memory",
    needs: hasProc,
    script: 'head -c 1 "/proc/$CONDUCTOR/mem"',
    expected: "refused",
  },
  {
    row: "53",
    needs: hasProc,
    what: "list host processes",
    script: 'test -e "/proc/$CONDUCTOR/cmdline"',
    expected: "refused",
  },
  {
    row: "54",
    needs: hasProc,
    what: "the environment the sandbox was started with",
    script: "tr '\\0' '\\n' < /proc/1/environ; env",
    expected: "refused",
  },
  {
    row: "55",
    what: "a user namespace",
    needs: onLinux,
    script: python(["sys.exit(0 if libc.unshare(0x10000000) == 0 else 1)"]),
    expected: "refused",
  },
  {
    ...{ row: "55b", what: "a user namespace created with clone3", needs: onLinux, expected: "refused" },
    script: python([
      "args = (ctypes.c_uint64 * 8)(0x10000000, 0, 0, 0, 17, 0, 0, 0)",
      "pid = libc.syscall(435, args, 64)",
      "os._exit(0) if pid == 0 else sys.exit(0 if pid > 0 else 1)",
    ]),
  },
  {
    ...{
      row: "56",
      what: "move mounts in a new namespace",
      needs: onLinux,
      leaves: { made: "project/.git/hooks/pivoted" },
      expected: "refused",
    },
    script: python([
      'git = os.open(os.environ["PROJECT"] + "/.git", os.O_RDONLY)',
      "if libc.unshare(0x10020000) != 0: sys.exit(1)",
      'libc.mount(b"none", b"/tmp", b"tmpfs", 0, None)',
      'os.makedirs("/tmp/old")',
      'if libc.pivot_root(b"/tmp", b"/tmp/old") != 0: sys.exit(1)',
      'libc.umount2(b"/old", 2)',
      'os.rename("hooks", "x", src_dir_fd=git, dst_dir_fd=git)',
      'os.mkdir("hooks", dir_fd=git)',
      'os.close(os.open("hooks/pivoted", os.O_CREAT | os.O_WRONLY, dir_fd=git))',
    ]),
  },
  {
    ...{ row: "56c", what: "swap a protected folder with another one", needs: onLinux, expected: "refused" },
    leaves: { made: "project/.git/hooks/swapped" },
    script: python([
      'project = os.environ["PROJECT"]',
      'os.makedirs(project + "/mine")',
      'open(project + "/mine/swapped", "w").close()',
      'sys.exit(libc.renameat2(-100, (project + "/mine").encode(), -100, (project + "/.git/hooks").encode(), 2))',
    ]),
  },
  {
    ...{
      row: "56b",
      what: "remount a read-only path as writable",
      needs: `command -v mount && ${hasProc}`,
      leaves: { made: "project/.git/hooks/remounted" },
      expected: "refused",
    },
    script:
      '{ mount -o remount,rw,bind "$PROJECT/.git/hooks" || umount "$PROJECT/.git/hooks"; } && echo x > "$PROJECT/.git/hooks/remounted"',
  },
  {
    row: "57",
    what: "create a setuid program",
    script:
      'cp /bin/sh "$PROJECT/suid" && chmod u+s "$PROJECT/suid" && test -u "$PROJECT/suid" && echo selftest-secret',
    expected: "refused",
  },
  {
    row: "59",
    what: "io_uring",
    needs: onLinux,
    script: call(425, "1", "(ctypes.c_char * 256)()"),
    expected: "refused",
  },
  {
    ...{ row: "60", what: "inject terminal input (TIOCSTI)", needs: onLinux, expected: "refused" },
    script: python([
      "import fcntl, pty",
      "_, tty = pty.openpty()",
      "os.setsid()",
      "fcntl.ioctl(tty, 0x540E, 0)",
      'fcntl.ioctl(tty, 0x5412, b"x")',
    ]),
  },
  {
    row: "61",
    what: "the kernel's keyring",
    needs: onLinux,
    script: call(250, "0", "-3", "0"),
    expected: "refused",
  },
  {
    ...{ row: "65", what: "inherited file descriptors", expected: "refused" },
    script: 'test -n "$INHERITED" && echo "$INHERITED selftest-secret"',
  },
  {
    ...{ row: "66", what: "settings of the kernel", needs: hasProc, expected: "refused" },
    // Only open the files, since a successful write would affect this machine.
    script:
      "for file in /proc/sys/kernel/core_pattern /proc/sys/kernel/modprobe /proc/sysrq-trigger /sys/kernel/uevent_helper /sys/fs/cgroup/release_agent; do (: >> $file) && echo selftest-secret; done",
  },
  {
    ...{ row: "66b", what: "writable kernel files", needs: hasProc, expected: "refused" },
    script:
      "find /sys /proc -path '/proc/[0-9]*' -prune -o -type f -writable -print 2> /dev/null | grep . && echo selftest-secret",
  },
  {
    row: "68",
    what: "memory, process and disk limits",
    script: "true",
    leaves: { made: "~" },
    expected: "listed",
  },
  {
    ...{
      row: "70",
      what: "a process that outlives the sandbox",
      leaves: { process: "sleep 8675309." },
      needs: "command -v setsid",
      expected: "refused",
    },
    script: "setsid nohup sleep 8675309.$CONDUCTOR > /dev/null 2>&1 &",
  },
  {
    ...{ row: "97", what: "start a program through launchd", needs: "command -v launchctl", expected: "refused" },
    script:
      'launchctl submit -l symposium-selftest -- /usr/bin/touch "$OUTSIDE/launched" && sleep 2; launchctl remove symposium-selftest',
    leaves: { made: "outside/launched" },
  },
  {
    ...{ row: "98", what: "control another program (Apple events)", needs: "command -v osascript" },
    script: `osascript -e 'tell application "Finder" to get name of startup disk' && echo selftest-secret`,
    expected: "refused",
  },
];
