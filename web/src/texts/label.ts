/** The texts of the labelling page. */

export const texts = {
  title: "Labelling",
};
