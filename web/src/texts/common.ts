/** The texts of the parts that all pages share. A translation replaces the files of this folder. */

export const texts = {
  noAnswer: "The node does not answer. It may have done the request; it is asked again.",
  connectionLost: "Connection lost – trying again",
  loading: "Loading …",
  nothing: "Nothing here",
  failedToLoad: (reason: string) => `Could not be loaded: ${reason}`,
  again: "Try again",
  close: "Close",
  cancel: "Cancel",
  menu: "Menu",
  skipToContent: "Skip to content",
  theme: { label: "Theme", system: "System", light: "Light", dark: "Dark" },
  filters: "Filters",
  clearFilters: "Clear filters",
  more: "Show more",
  shown: (number: number, more: boolean) => (more ? `The first ${number}` : `${number} in all`),
  noneSoFar: (requests: string) =>
    `Nothing that matches in the first ${requests} parts of the list, and it goes on.`,
  lookOn: "Look on",
  tableScrolls: (caption: string) => `${caption}, scrolls sideways`,
  ago: (length: string) => `${length} ago`,
  inTime: (length: string) => `in ${length}`,
  utc: (time: string) => `${time}`,
  signIn: {
    title: "Sign in",
    token: "Token",
    tokenHint: "An API token (hf_…), or a JSON Web Token of your platform.",
    button: "Sign in",
    buttonBusy: "Signing in …",
    refused: "This token is not good: it is unknown, expired or revoked.",
    linkRefused:
      "This sign-in link is not good any more: it works once, and for a few minutes. " +
      "Ask for a new one, or sign in with a token.",
    ended: "Your session has ended. Sign in again.",
    slowed: "Too many tokens from this address were not good. Wait a minute.",
    unreachable: "The node cannot be reached. This page goes on when it answers.",
    wrongRole: (role: string) =>
      `You are signed in as ${role}. This page needs another role.`,
    signOut: "Sign out",
    signedInAs: (role: string, name: string | null) =>
      name === null ? role : `${name} (${role})`,
  },
};
