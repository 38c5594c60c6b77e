/** The texts of the console. */

export const texts = {
  title: "Console",
};
