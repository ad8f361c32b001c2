/** Placeholder portraits, 16 by 16 pixels, so that the demonstration shows photos without holding any person's. */
export const photos: readonly string[] = ["XW5PA0SV60OPS2", "X14sx4QhLlo5FD", "XY7NgeWjLL9fYB"].map(
  (palette) =>
    `data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAMAAAAoLQ9TAAAABlBMVE${palette}AAAALElEQVR42o3OIQIAAAjCQPf/T5sZQW1cAGe+B84pILmhOnrl/ipbQWIAScICHfMAUxWr4VEAAAAASUVORK5CYII=`,
);
