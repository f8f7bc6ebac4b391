/** Options of a process that must not run as root, for which no file is read-only. */
export const asNobody: { readonly uid?: number; readonly gid?: number } =
  process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
