"""Preview pictures for shared links. They are PNG, because the sites that show them need it.

shapes   paths, circles and rectangles of `static/faces.svg` as polygons
canvas   drawing of text, avatars and playing cards
cards    the contents of each picture, as data
drawing  the pictures as PNG, cached
view     the pictures' views, and links to them
"""
