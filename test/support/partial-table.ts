import type { Table } from "../../lib/store/table.ts";

const unused = () => {
  throw new Error("The test did not expect this call of the store.");
};

/** A table with only some of its methods: a call of any other method throws. */
export const tableWith = (part: Partial<Table>): Table => ({
  get: unused,
  getMany: unused,
  transactGet: unused,
  queryPage: unused,
  scanPage: unused,
  write: unused,
  transact: unused,
  writeMany: unused,
  ...part,
});
