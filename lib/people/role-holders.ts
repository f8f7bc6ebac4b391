import type { Changing } from "../audit/entry.ts";
import { counted } from "../contract/counted.ts";
import { Fault } from "../contract/fault.ts";
import { isLive, parseKey } from "../store/items/key.ts";
import { keyKey, keyOfRow, organizationKeyRow } from "../store/layout.ts";
import { queryAll } from "../store/table.ts";

/** Organization keys of the organization, and instance keys whose home it is. */
export async function refuseHeldByKey(
  { table, clock }: Changing,
  uuid: string,
  roleId: string,
): Promise<void> {
  const { pk, sk: beginsWith } = organizationKeyRow(uuid, "");
  const rows = await Array.fromAsync(queryAll(table, { pk, beginsWith }));
  const items = await table.getMany(rows.map(({ sk }) => keyKey(keyOfRow(sk))));
  const holders = items
    .flatMap((item) => (item ? [parseKey(item)] : []))
    .filter((key) => key.role === roleId && isLive(key, clock.nowMs()));
  const [holder] = holders;
  if (!holder) return;
  throw new Fault(
    "ROLE_IN_USE",
    `The role is still held by ${counted(holders.length, "live key")}, ${holder.id} for one. End ${
      holders.length === 1 ? "it" : "them"
    } first.`,
  );
}
