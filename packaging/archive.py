"""Folders and tar archives whose bytes depend on nothing but their content."""
import gzip
import io
import os
import pathlib
import shutil
import stat
import tarfile


class Tree:
    """A folder that will become a package. Files get the modes given here, whatever the umask is."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.folder.chmod(0o755)

    def path(self, name):
        return self.folder / name.lstrip("/")

    def directory(self, name, mode=0o755):
        path = self.path(name)
        for parent in [*reversed(path.relative_to(self.folder).parents), path.relative_to(self.folder)]:
            target = self.folder / parent
            if not target.is_dir():
                target.mkdir()
                target.chmod(0o755)
        path.chmod(mode)
        return path

    def write(self, name, content, mode=0o644):
        path = self.path(name)
        self.directory(str(path.parent.relative_to(self.folder)))
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        path.chmod(mode)
        return path

    def copy(self, source, name, mode=0o644):
        return self.write(name, pathlib.Path(source).read_bytes(), mode)

    def link(self, name, target):
        path = self.path(name)
        self.directory(str(path.parent.relative_to(self.folder)))
        path.symlink_to(target)

    def compressed(self, name, content):
        """A file for /usr/share/doc or /usr/share/man."""
        return self.write(name + ".gz", gzipped(content.encode() if isinstance(content, str) else content, 0))


def gzipped(content, epoch):
    """gzip without a file name and with a fixed time."""
    buffer = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=buffer, mtime=epoch) as file:
        file.write(content)
    return buffer.getvalue()


def tar(folder, epoch, prefix="", owners=None):
    """An uncompressed tar of what is in a folder: sorted, of root, of one time.

    - owners: path in the archive to (uid, gid), for what is not root's."""
    folder = pathlib.Path(folder)
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path in sorted(folder.rglob("*"), key=lambda p: p.relative_to(folder).as_posix().encode()):
            name = path.relative_to(folder).as_posix()
            info = tarfile.TarInfo(prefix + name)
            info.mtime = epoch
            info.uid, info.gid = (owners or {}).get(name, (0, 0))
            status = path.lstat()
            info.mode = stat.S_IMODE(status.st_mode)
            if path.is_symlink():
                info.type, info.linkname, info.mode = tarfile.SYMTYPE, os.readlink(path), 0o777
                archive.addfile(info)
            elif path.is_dir():
                info.type = tarfile.DIRTYPE
                archive.addfile(info)
            else:
                info.size = status.st_size
                with path.open("rb") as file:
                    archive.addfile(info, file)
    return buffer.getvalue()
