"""Pictures of a result for where a link is shared: those sites take PNG, and no SVG.

shapes   paths, circles and rectangles of `static/faces.svg` as polygons
canvas   a picture under way: text that fits, faces, playing cards
cards    what each picture shows, as data
drawing  that as PNG, kept while it is the same
view     the addresses, and the links to them
"""
