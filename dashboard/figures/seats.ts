import { type Organization, reasonLeftOut } from "../../lib/report/left-out.ts";
import {
  type AuthorNames,
  type FetchedSeats,
  type Home,
  judgeHolders,
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
  /** How many holders are what; null if the pull requests were not read, or only a part of them. */
  readonly judged: {
    readonly active: number;
    readonly idle: number;
    readonly tooNew: number;
    /** Also those who are unseen. */
    readonly notJudged: number;
  } | null;
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
  /** Null if the pull requests were not read, or only a part of them. */
  readonly judgement: Judgement | null;
};

export type Judgement = "active" | "idle" | "too new" | "not judged";

export type SeatInput = FetchedSeats & {
  /** Null if only a part of the pull requests was read. */
  readonly authors: AuthorNames | null;
  /** The organization of users whose records do not name one. */
  readonly home: Home | null;
  readonly organizations: ReadonlyArray<Home & Pick<Organization, "name" | "plan" | "metrics">>;
};

/** What is known about idle holders, by their id. */
export type SeatUses = Readonly<Record<string, SeatUse>>;

const compareTexts = new Intl.Collator("en").compare;

export function seatFigures(input: SeatInput): SeatFigures {
  const { seats, users, home, organizations } = input;
  const { seats_purchased: purchased, seats_assigned: used } = seats;
  const holders = seatHolders(users, home);
  const counts = {
    purchased,
    used,
    free: Math.max(0, purchased - used),
    unseen: Math.max(0, used - holders.length),
    withoutAdmin: organizationsWithoutAdmin(organizations, users, home)
      .map(({ name }) => name)
      .toSorted(compareTexts),
  };
  const judged = judgedUsers(input);
  return {
    ...counts,
    judged: judged && {
      active: judged.active.length,
      idle: judged.idle.length,
      tooNew: judged.tooNew.length,
      notJudged: judged.notJudged,
    },
    holders: holders
      .map((user) => ({
        id: holderId(user, home),
        name: shownName(user, home),
        email: user.email,
        ...placesOf(user, home, organizations),
        judgement: judged && judgementOf(user, judged),
      }))
      .toSorted((one, other) => compareTexts(one.name, other.name)),
  };
}

/** As `review-api seats idle` judges them; null if the pull requests were not read, or only a part of them. */
export const judgedUsers = ({ authors, organizations, ...input }: SeatInput) =>
  authors &&
  judgeHolders({
    ...input,
    authors,
    readable: organizations.filter((each) => reasonLeftOut(each, true) === null),
  });

function judgementOf(user: User, judged: ReturnType<typeof judgeHolders>): Judgement {
  if (judged.active.includes(user)) return "active";
  if (judged.idle.includes(user)) return "idle";
  return judged.tooNew.includes(user) ? "too new" : "not judged";
}

export const seatUses = (uses: ReadonlyMap<User, SeatUse>, home: Home | null): SeatUses =>
  Object.fromEntries(Array.from(uses, ([user, use]) => [holderId(user, home), use]));

const holderId = (user: User, home: Home | null): string =>
  membershipsOf(user, home)
    .map(({ provider, org_id, user_id }) => `${provider}:${org_id}/${user_id}`)
    .join(" ");

const shownName = (user: User, home: Home | null): string =>
  user.username ?? user.email ?? membershipsOf(user, home)[0]?.user_id ?? "somebody without a name";
