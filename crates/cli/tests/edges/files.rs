//! Trees as they are: what goes into an artifact of files, and what stays out.

use expect_test::expect;

use crate::check;
use crate::program::Folder;

const TREE: &str = "#- app/.sourceignore
*.md
!keep.md
/local
#- app/deploy.yaml
apiVersion: v1
kind: Service
metadata: {name: web}
#- app/notes.md
not this
#- app/keep.md
but this
#- app/local/secret.yaml
not this
#- app/deep/er/.sourceignore
more.yaml
#- app/deep/er/more.yaml
not this
#- app/deep/er/less.yaml
kind: Less
#- app/.git/config
not this
#- app/picture.png
not this
#- only/notes.md
nothing else
#- only/.sourceignore
*
";

#[test]
fn files_are_packed_but_for_what_is_ignored_or_leads_elsewhere() {
    let folder = Folder::new(TREE);
    std::os::unix::fs::symlink(folder.path("app/deploy.yaml"), folder.path("app/link.yaml"))
        .unwrap();
    std::os::unix::fs::symlink("/etc", folder.path("app/etc")).unwrap();
    let directory = format!("{}/app", folder.path("").display());
    check(
        &folder,
        &[("ROOT", &directory)],
        &[
            "push --raw app oci-layout:out:tree",
            "pull oci-layout:out:tree --json --output first",
            "push --raw app oci-layout:out:less --ignore-paths deep/,keep.md",
            "pull oci-layout:out:less --json --output second",
            "push --raw app/deploy.yaml oci-layout:out:file",
            "pull oci-layout:out:file",
            "push --raw oci-layout:out:tree oci-layout:out:again",
            "push --raw only oci-layout:out:nothing",
            "push --raw missing oci-layout:out:nothing",
            "list oci-layout:out",
        ],
        expect![[r#"
            $ kelson push --raw app oci-layout:out:tree
            oci-layout:out:tree@sha256:…
            files as they are; 2 blobs sent (560 B), 0 there already
            $ kelson pull oci-layout:out:tree --json --output first
            {"annotations":{"org.opencontainers.image.created":"1970-01-01T00:00:00Z"},"artifact":"oci-layout:out:tree@sha256:…","digest":"sha256:…","files":[".sourceignore","deep/er/.sourceignore","deep/er/less.yaml","deploy.yaml","keep.md"],"producer":"flux"}
            $ kelson push --raw app oci-layout:out:less --ignore-paths deep/,keep.md
            oci-layout:out:less@sha256:…
            files as they are; 2 blobs sent (447 B), 0 there already
            $ kelson pull oci-layout:out:less --json --output second
            {"annotations":{"org.opencontainers.image.created":"1970-01-01T00:00:00Z"},"artifact":"oci-layout:out:less@sha256:…","digest":"sha256:…","files":[".sourceignore","deploy.yaml"],"producer":"flux"}
            $ kelson push --raw app/deploy.yaml oci-layout:out:file
            oci-layout:out:file@sha256:…
            files as they are; 2 blobs sent (402 B), 0 there already
            $ kelson pull oci-layout:out:file
            apiVersion: v1
            kind: Service
            metadata: {name: web}
            $ kelson push --raw oci-layout:out:tree oci-layout:out:again
            oci-layout:out:again@sha256:…
            files as they are; 0 blobs sent (0 B), 2 there already
            $ kelson push --raw only oci-layout:out:nothing
            error: there is nothing to pack
            exit code 1
            $ kelson push --raw missing oci-layout:out:nothing
            error: cannot read `/here/missing`
            caused by: no such file or directory
            exit code 1
            $ kelson list oci-layout:out
            ARTIFACT              DIGEST                                                                   SOURCE  REVISION
            oci-layout:out:again  sha256:…  -       -
            oci-layout:out:file   sha256:…  -       -
            oci-layout:out:less   sha256:…  -       -
            oci-layout:out:tree   sha256:…  -       -
        "#]],
    );
}
