import { crc32, deflateRawSync } from "node:zlib";

/** One member of a tar archive, byte by byte as the caller wants it. */
export interface TarMember {
  readonly name: string;
  /**
   * Type flag: `0` file, `1` hard link, `2` symbolic link, `3` device. Further ones are `5` folder, `6` pipe, `x` pax, `L` and `K` GNU's
   * long names.
   */
  readonly type?: string;
  readonly data?: string | Buffer;
  readonly target?: string;
  readonly mode?: number;
  /** Size in the header; the length of the data by default. */
  readonly size?: number;
  readonly prefix?: string;
}

/** A tar archive, uncompressed. */
export function tarArchive(members: readonly TarMember[]): Buffer {
  return Buffer.concat([...members.map(tarMember), Buffer.alloc(1024)]);
}

/** The member `name` behind a pax header with `records`. */
export function paxMember(records: Readonly<Record<string, string>>, member: TarMember): readonly TarMember[] {
  const lines = Object.entries(records).map(([key, value]) => {
    const rest = ` ${key}=${value}\n`;
    let length = rest.length;
    while (length !== Buffer.byteLength(`${length}${rest}`)) length = Buffer.byteLength(`${length}${rest}`);
    return `${length}${rest}`;
  });
  return [{ name: "PaxHeader", type: "x", data: lines.join("") }, member];
}

export function tarMember({
  name,
  type = "0",
  data = "",
  target = "",
  mode = 0o644,
  size,
  prefix = "",
}: TarMember): Buffer {
  const content = Buffer.from(data);
  const header = Buffer.alloc(512);
  header.write(name, 0, 100, "utf8");
  header.write(`${mode.toString(8).padStart(7, "0")}\0`, 100, "latin1");
  header.write("0000000\x000000000\0", 108, "latin1");
  header.write(`${(size ?? content.length).toString(8).padStart(11, "0")}\0`, 124, "latin1");
  header.write("00000000000\0", 136, "latin1");
  header.write("        ", 148, "latin1");
  header.write(type, 156, "latin1");
  header.write(target, 157, 100, "utf8");
  header.write("ustar\x0000", 257, "latin1");
  header.write(prefix, 345, 155, "utf8");
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return Buffer.concat([header, content, Buffer.alloc((512 - (content.length % 512)) % 512)]);
}

/** One member of a zip archive. */
export interface ZipMember {
  readonly name: string;
  readonly data?: string | Buffer;
  /** UNIX type and permissions, such as 0o120777 for a link. */
  readonly mode?: number;
  readonly isStored?: boolean;
  /** Size in the central directory; the length of the data by default. */
  readonly size?: number;
  readonly crc?: number;
  readonly flags?: number;
}

/** A zip archive. */
export function zipArchive(members: readonly ZipMember[]): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const member of members) {
    const data = Buffer.from(member.data ?? "");
    const stored = member.isStored === true ? data : deflateRawSync(data);
    const name = Buffer.from(member.name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x800 | (member.flags ?? 0), 2);
    common.writeUInt16LE(member.isStored === true ? 0 : 8, 4);
    common.writeUInt32LE(member.crc ?? crc32(data), 10);
    common.writeUInt32LE(stored.length, 14);
    common.writeUInt32LE(member.size ?? data.length, 18);
    common.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04", "latin1"), common, name, stored]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(((member.mode ?? 0) << 16) >>> 0, 6);
    tail.writeUInt32LE(offset, 10);
    directory.push(Buffer.from("PK\x01\x02\x14\x03", "latin1"), common, tail, name);
    locals.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(members.length, 4);
  end.writeUInt16LE(members.length, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, central, Buffer.from("PK\x05\x06", "latin1"), end]);
}
