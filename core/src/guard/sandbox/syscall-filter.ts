/** System call numbers on x86_64. */
const calls = {
  open: 2,
  ioctl: 16,
  socket: 41,
  clone: 56,
  creat: 85,
  chmod: 90,
  fchmod: 91,
  syslog: 103,
  mknod: 133,
  pivot_root: 155,
  acct: 163,
  settimeofday: 164,
  mount: 165,
  umount2: 166,
  swapon: 167,
  swapoff: 168,
  reboot: 169,
  iopl: 172,
  ioperm: 173,
  init_module: 175,
  delete_module: 176,
  quotactl: 179,
  clock_settime: 227,
  kexec_load: 246,
  add_key: 248,
  request_key: 249,
  keyctl: 250,
  unshare: 272,
  openat: 257,
  mknodat: 259,
  fchmodat: 268,
  perf_event_open: 298,
  fanotify_init: 300,
  open_by_handle_at: 304,
  setns: 308,
  finit_module: 313,
  kexec_file_load: 320,
  bpf: 321,
  userfaultfd: 323,
  io_uring_setup: 425,
  io_uring_enter: 426,
  io_uring_register: 427,
  open_tree: 428,
  move_mount: 429,
  fsopen: 430,
  fsconfig: 431,
  fsmount: 432,
  fspick: 433,
  clone3: 435,
  openat2: 437,
  mount_setattr: 442,
  fchmodat2: 452,
  open_tree_attr: 467,
} as const;

type Call = keyof typeof calls;

/** System calls whose arguments are checked, or that fail with a different error. */
const special: ReadonlySet<Call> = new Set<Call>([
  ...(["ioctl", "socket", "clone", "unshare", "clone3", "openat2"] as const),
  ...(["chmod", "fchmod", "fchmodat", "fchmodat2", "open", "openat", "creat", "mknod", "mknodat"] as const),
]);

const errors = { EPERM: 1, ENOSYS: 38, EAFNOSUPPORT: 97 } as const;

/** Byte offsets in `struct seccomp_data`. */
const offsets = { call: 0, arch: 4, argument: (index: number): number => 16 + 8 * index } as const;

const auditArchX86 = 0xc000003e;
/** Bit that marks calls of the x32 interface. */
const x32Bit = 0x40000000;
/** Flags for mount, cgroup, UTS, IPC, user, PID and network namespaces. */
const namespaceFlags = 0x7e020000;
/** Flag for time namespaces. For `clone`, the flag has another meaning. */
const timeNamespace = 0x80;
/** Allowed socket families: Unix, IPv4, IPv6, and netlink, with which programs list network addresses. */
const socketFamilies = [1, 2, 10, 16];
/** Mode bit for setuid programs, which run as their owner. Such a program created in root's sandbox could make other users root. */
const setUserId = 0o4000;
/** Index of the file mode among the arguments of each system call. */
const modes = {
  creat: 1,
  mknod: 1,
  mknodat: 2,
  chmod: 1,
  fchmod: 1,
  fchmodat: 2,
  fchmodat2: 2,
} as const satisfies Partial<Record<Call, number>>;
/** Indexes for calls that use a mode only with O_CREAT or O_TMPFILE. */
const opens = { open: { flags: 1, mode: 2 }, openat: { flags: 2, mode: 3 } } as const;
const makingFlags = 0x400040;
/** TIOCSTI and TIOCLINUX, which insert input into a terminal. */
const terminalRequests = [0x5412, 0x541c];

interface Instruction {
  readonly code: number;
  readonly jumpTrue?: number;
  readonly jumpFalse?: number;
  readonly value: number;
}

const load = (offset: number): Instruction => ({ code: 0x20, value: offset });
const allow: Instruction = { code: 0x06, value: 0x7fff0000 };
const refuse = (error: keyof typeof errors): Instruction => ({ code: 0x06, value: 0x00050000 | errors[error] });
/** `jumpTrue` and `jumpFalse` are numbers of instructions to skip. */
const equal = (value: number, jumpTrue: number, jumpFalse: number): Instruction => ({
  code: 0x15,
  value,
  jumpTrue,
  jumpFalse,
});
const atLeast = (value: number, jumpTrue: number, jumpFalse: number): Instruction => ({
  code: 0x35,
  value,
  jumpTrue,
  jumpFalse,
});
const hasBit = (value: number, jumpTrue: number, jumpFalse: number): Instruction => ({
  code: 0x45,
  value,
  jumpTrue,
  jumpFalse,
});

/** Applies the instructions in `body`, which must end with a verdict, to one system call only. */
function only(call: Call, body: readonly Instruction[]): readonly Instruction[] {
  return [equal(calls[call], 0, body.length), ...body];
}

/**
 * Returns the system call filter for sandboxed programs (classic BPF, x86_64, little endian). Denies namespaces and mounts, which could
 * undo the sandbox. Denies risky calls that agents and builds don't need: keyrings, BPF, io_uring, kernel modules, unusual sockets,
 * terminal input and setuid programs.
 */
export function syscallFilter(): Uint8Array<ArrayBuffer> {
  const plain = (Object.keys(calls) as Call[]).filter((call) => !special.has(call));
  const program: readonly Instruction[] = [
    load(offsets.arch),
    equal(auditArchX86, 1, 0),
    refuse("EPERM"),
    load(offsets.call),
    atLeast(x32Bit, 0, 1),
    refuse("EPERM"),
    ...plain.flatMap((call) => only(call, [refuse("EPERM")])),
    // Refuse these calls, since their flags are in memory, which a filter can't read. C libraries fall back to `clone`.
    ...only("clone3", [refuse("ENOSYS")]),
    ...only("openat2", [refuse("ENOSYS")]),
    ...(Object.entries(modes) as [keyof typeof modes, number][]).flatMap(([call, index]) =>
      only(call, [load(offsets.argument(index)), hasBit(setUserId, 0, 1), refuse("EPERM"), allow]),
    ),
    ...only("unshare", [
      load(offsets.argument(0)),
      hasBit(namespaceFlags | timeNamespace, 0, 1),
      refuse("EPERM"),
      allow,
    ]),
    ...only("clone", [load(offsets.argument(0)), hasBit(namespaceFlags, 0, 1), refuse("EPERM"), allow]),
    ...(Object.entries(opens) as [keyof typeof opens, { flags: number; mode: number }][]).flatMap(
      ([call, { flags, mode }]) =>
        only(call, [
          ...[load(offsets.argument(flags)), hasBit(makingFlags, 1, 0), allow],
          ...[load(offsets.argument(mode)), hasBit(setUserId, 0, 1), refuse("EPERM"), allow],
        ]),
    ),
    ...only("ioctl", [
      load(offsets.argument(1)),
      ...terminalRequests.flatMap((request) => [equal(request, 0, 1), refuse("EPERM")]),
      allow,
    ]),
    ...only("socket", [
      load(offsets.argument(0)),
      ...socketFamilies.flatMap((family) => [equal(family, 0, 1), allow]),
      refuse("EAFNOSUPPORT"),
    ]),
    allow,
  ];
  const bytes = new Uint8Array(program.length * 8);
  const view = new DataView(bytes.buffer);
  for (const [index, { code, jumpTrue = 0, jumpFalse = 0, value }] of program.entries()) {
    view.setUint16(index * 8, code, true);
    view.setUint8(index * 8 + 2, jumpTrue);
    view.setUint8(index * 8 + 3, jumpFalse);
    view.setUint32(index * 8 + 4, value, true);
  }
  return bytes;
}
