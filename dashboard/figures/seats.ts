import {
  type AuthorNames,
  type FetchedSeats,
  type Home,
  idleHolders,
  membershipsOf,
  organizationsWithoutAdmin,
  placesOf,
  type SeatPlaces,
  type SeatUse,
  seatHolders,
  type User,
} from "../../lib/report/seats.ts";

export type SeatFigures = {
  readonly purchased: number;
  readonly used: number;
  readonly free: number;
  /** Seats used in organizations that share the pool but are not visible to the key. */
  readonly unseen: number;
  /** Seat holders who finished no pull request; null if not all of their pull requests were read. */
  readonly idle: number | null;
  /** Everybody who holds a seat, in alphabetical order. */
  readonly holders: readonly SeatHolder[];
  /** The names of organizations in which nobody has the Admin role. */
  readonly withoutAdmin: readonly string[];
};

export type SeatHolder = SeatPlaces & {
  /** Names the person in `SeatUses`. */
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
  /** Null if it is not known. */
  readonly isIdle: boolean | null;
};

export type SeatInput = FetchedSeats & {
  /** Null if only a part of the pull requests was read. */
  readonly authors: AuthorNames | null;
  /** The organization of users whose records do not name one. */
  readonly home: Home | null;
  readonly organizations: ReadonlyArray<Home & { readonly name: string }>;
};

/** What is known about idle holders, by their id. */
export type SeatUses = Readonly<Record<string, SeatUse>>;

const compareTexts = new Intl.Collator("en").compare;

export function seatFigures(input: SeatInput): SeatFigures {
  const { seats, users, home, organizations } = input;
  const { seats_purchased: purchased, seats_assigned: used } = seats;
  const holders = seatHolders(users, home);
  const counts = {
    ...{ purchased, used },
    free: Math.max(0, purchased - used),
    unseen: Math.max(0, used - holders.length),
    withoutAdmin: organizationsWithoutAdmin(organizations, users, home)
      .map(({ name }) => name)
      .toSorted(compareTexts),
  };
  const idle = idleUsers(input);
  return {
    ...counts,
    idle: idle?.length ?? null,
    holders: holders
      .map((user) => ({
        id: holderId(user, home),
        name: shownName(user, home),
        email: user.email,
        ...placesOf(user, home, organizations),
        isIdle: idle?.includes(user) ?? null,
      }))
      .toSorted((one, other) => compareTexts(one.name, other.name)),
  };
}

/** Seat holders who are idle; null if not all of their pull requests were read. */
export const idleUsers = ({ users, authors, home, newHolders }: SeatInput): readonly User[] | null =>
  authors && idleHolders(seatHolders(users, home), home, authors, newHolders);

export const seatUses = (uses: ReadonlyMap<User, SeatUse>, home: Home | null): SeatUses =>
  Object.fromEntries(Array.from(uses, ([user, use]) => [holderId(user, home), use]));

const holderId = (user: User, home: Home | null): string =>
  membershipsOf(user, home)
    .map(({ provider, org_id, user_id }) => `${provider}:${org_id}/${user_id}`)
    .join(" ");

const shownName = (user: User, home: Home | null): string =>
  user.username ?? user.email ?? membershipsOf(user, home)[0]?.user_id ?? "somebody without a name";
