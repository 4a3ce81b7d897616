"""Preview pictures for shared links. They are PNG, because the sites that show them need it.

shapes   paths, circles and rectangles of `static/faces.svg` as polygons
cards    the contents of each picture, as data
drawing  the pictures as PNG: text, avatars and playing cards; cached
view     the pictures' views, and links to them
"""
