import { crc32 } from "node:zlib";

/** A ZIP file of a function's code, without compression: Lambda takes it, and no package is needed for it. */
export function zipOf(files: ReadonlyMap<string, Buffer>): Buffer {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of files) {
    const path = Buffer.from(name);
    // Version, flags, method, time and date (1 January 1980), checksum, both sizes, the name's length.
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x21, 8);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(content.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(path.length, 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04", "latin1"), common, path]);
    const entry = Buffer.alloc(14);
    // Readable by everyone, as a Unix program would write it.
    entry.writeUInt32LE(0o100644 * 0x10000, 6);
    entry.writeUInt32LE(offset, 10);
    const versionMadeBy = Buffer.from([20, 3]);
    directory.push(Buffer.concat([Buffer.from("PK\x01\x02", "latin1"), versionMadeBy, common, entry, path]));
    bodies.push(local, content);
    offset += local.length + content.length;
  }
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", 0, "latin1");
  end.writeUInt16LE(files.size, 8);
  end.writeUInt16LE(files.size, 10);
  end.writeUInt32LE(
    directory.reduce((sum, { length }) => sum + length, 0),
    12,
  );
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...bodies, ...directory, end]);
}
