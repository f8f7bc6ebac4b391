import {
  type AuthorNames,
  type FetchedSeats,
  type Home,
  idleHolders,
  membershipsOf,
  organizationsWithoutAdmin,
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
  /** Their names, in alphabetical order. */
  readonly idleHolders: readonly string[];
  /** Everybody who holds a seat, in alphabetical order. */
  readonly holders: readonly SeatHolder[];
  /** The names of organizations in which nobody has the Admin role. */
  readonly withoutAdmin: readonly string[];
};

export type SeatHolder = {
  readonly name: string;
  readonly email: string | null;
  /** `provider:organization/user`, for each membership. */
  readonly memberships: readonly string[];
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

const compareTexts = new Intl.Collator("en").compare;

export function seatFigures(input: SeatInput): SeatFigures {
  const { seats, users, authors, home, newHolders, organizations } = input;
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
  const idle = authors ? idleHolders(holders, home, authors, newHolders) : null;
  const namesOf = (people: readonly User[]) =>
    people.map((user) => shownName(user, home)).toSorted(compareTexts);
  return {
    ...counts,
    idle: idle?.length ?? null,
    idleHolders: namesOf(idle ?? []),
    holders: holders
      .map((user) => ({
        name: shownName(user, home),
        email: user.email,
        memberships: membershipsOf(user, home).map(
          ({ provider, org_id, user_id }) => `${provider}:${org_id}/${user_id}`,
        ),
        isIdle: idle?.includes(user) ?? null,
      }))
      .toSorted((one, other) => compareTexts(one.name, other.name)),
  };
}

const shownName = (user: User, home: Home | null): string =>
  user.username ?? user.email ?? membershipsOf(user, home)[0]?.user_id ?? "somebody without a name";
